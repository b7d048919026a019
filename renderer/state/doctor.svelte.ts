import type { Snapshot } from '../../shared/contract/snapshot';
import type { Diagnosis, Failure } from '../../shared/doctor/types';
import type { Excerpt } from '../../shared/doctor/view/excerpt';
import { planHint, type PlanHint } from '../../shared/doctor/view/planHint';
import { joinWitnesses, witnessesBetween, type Witness } from '../../shared/doctor/witness';
import type { DoctorRunner, DoctorSource } from '../doctor/runDoctor';

const mostWitnesses = 20;

/** The text that is being looked at; kept while other places are shown. */
export class DoctorText {
  /** What stands in the paste field. */
  draft = $state('');
  name = $state<string | null>(null);
  diagnosis = $state.raw<Diagnosis | null>(null);
  excerpt = $state.raw<Excerpt | null>(null);
  /** The failure that is shown, by its place in the diagnosis. */
  chosen = $state<number | null>(null);
  /** How much of the text is read, 0 to 1; null while nothing is read. */
  progress = $state<number | null>(null);
  failed = $state(false);
  /** Processes that ended on a full card while Headroom watched, the newest last. */
  witnesses = $state.raw<readonly Witness[]>([]);

  #source: DoctorSource = '';
  #before: Snapshot | null = null;

  constructor(
    private readonly runner: DoctorRunner,
    private readonly report: (error: unknown) => void,
  ) {}

  get failure(): Failure | null {
    return this.chosen === null ? null : (this.diagnosis?.failures[this.chosen] ?? null);
  }

  /** What the text taught about the machine, for the wizard. */
  get planHint(): PlanHint | null {
    return this.diagnosis === null ? null : planHint(this.diagnosis.failures);
  }

  /** Reads a pasted text or a file; a name is shown where there is one. */
  async read(source: DoctorSource, name: string | null): Promise<void> {
    this.progress = 0;
    this.failed = false;
    this.name = name;
    try {
      const reading = await this.runner.read(source, (share) => (this.progress = share));
      this.#source = source;
      this.diagnosis = joinWitnesses(reading.diagnosis, this.witnesses, this.#before?.time ?? 0);
      this.excerpt = reading.excerpt;
      this.chosen = reading.diagnosis.rootFailure;
    } catch (error) {
      this.failed = true;
      this.report(error);
    } finally {
      this.progress = null;
    }
  }

  /** Drops what is being read; the field stays as it was. */
  stop(): void {
    this.runner.stop();
    this.progress = null;
    this.name = null;
  }

  /** Shows another failure of the text, with the lines around it. */
  async choose(place: number): Promise<void> {
    this.chosen = place;
    const line = this.failure?.line ?? 1;
    if (this.excerpt === null || this.excerpt.isWhole) return;
    try {
      const excerpt = await this.runner.excerpt(this.#source, line);
      if (this.chosen === place) this.excerpt = excerpt;
    } catch (error) {
      this.report(error);
    }
  }

  /** Back to the paste field; what was pasted is still there. */
  close(): void {
    this.diagnosis = null;
    this.excerpt = null;
    this.chosen = null;
    this.name = null;
  }

  /** Looks whether a process vanished from a full card since the last Snapshot. */
  see(snapshot: Snapshot): void {
    const before = this.#before;
    this.#before = snapshot;
    if (before === null || before.source.kind !== snapshot.source.kind) return;
    const seen = witnessesBetween(before, snapshot);
    if (seen.length > 0) this.witnesses = [...this.witnesses, ...seen].slice(-mostWitnesses);
  }
}
