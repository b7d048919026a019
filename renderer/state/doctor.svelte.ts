import type { Destination } from '../../shared/alerts/places';
import { failureSeen } from '../../shared/doctor/seenFailure';
import type { Diagnosis, Failure } from '../../shared/doctor/types';
import type { Excerpt } from '../../shared/doctor/view/excerpt';
import { planHint, type PlanHint } from '../../shared/doctor/view/planHint';
import {
  joinSuspectedOomExits,
  suspectedOomExitOfText,
  type SuspectedOomExit,
} from '../../shared/doctor/suspectedOomExit';
import type { DoctorRunner, DoctorSource } from '../doctor/runDoctor';

/** The ends of processes that main saw, and the time now (seconds since the epoch). */
export interface Sightings {
  readonly oomExits: readonly SuspectedOomExit[];
  readonly now: number;
}

/** The text that is being looked at; kept while other places are shown. */
export class DoctorText {
  /** What stands in the paste field. */
  draft = $state('');
  name = $state<string | null>(null);
  diagnosis = $state.raw<Diagnosis | null>(null);
  /** The end that Headroom saw of which the text tells; null where it saw none. */
  told = $state.raw<SuspectedOomExit | null>(null);
  excerpt = $state.raw<Excerpt | null>(null);
  /** The failure that is shown, by its place in the diagnosis. */
  chosen = $state<number | null>(null);
  /** How much of the text is read, 0 to 1; null while nothing is read. */
  progress = $state<number | null>(null);
  failed = $state(false);
  /** The name of what was opened and is no text; null: nothing of the kind. */
  notText = $state<string | null>(null);
  /** The end that an alert asked for; null: the newest one. */
  wanted = $state.raw<Destination | null>(null);
  /** What was seen up to this time (seconds since the epoch) was put aside. */
  asideUntil = $state(0);

  #source: DoctorSource = '';

  constructor(
    private readonly runner: DoctorRunner,
    private readonly report: (error: unknown) => void,
    private readonly sightings: () => Sightings,
  ) {}

  get failure(): Failure | null {
    return this.chosen === null ? null : (this.diagnosis?.failures[this.chosen] ?? null);
  }

  /** The end of a process that Headroom saw: the one that an alert led here for, else the newest not put aside. */
  get oomExit(): SuspectedOomExit | null {
    const { gpuIndex = null, jobId = null } = this.wanted ?? {};
    return (
      this.sightings().oomExits.findLast(
        (seen) =>
          seen.time > this.asideUntil &&
          (gpuIndex ?? seen.gpuIndex) === seen.gpuIndex &&
          (jobId ?? seen.jobId) === seen.jobId,
      ) ?? null
    );
  }

  /** That end as a failure, told while there is no text. */
  get seen(): Failure | null {
    return this.oomExit === null ? null : failureSeen(this.oomExit);
  }

  /** What the text, or what was seen, taught about the machine, for the wizard. */
  get planHint(): PlanHint | null {
    const { diagnosis, seen } = this;
    if (diagnosis === null) return planHint(seen === null ? [] : [seen], '', this.oomExit);
    return planHint(diagnosis.failures, this.excerpt?.text ?? '', this.told);
  }

  /** Shows the end that an alert is about, in place of a text that was read before. */
  follow(destination: Destination): void {
    if (destination.place !== 'doctor') return;
    if (destination.gpuIndex === null && destination.jobId === null) return;
    this.wanted = destination;
    this.asideUntil = 0;
    this.close();
  }

  /** Puts what was seen aside, for a text about something else. */
  putAside(): void {
    this.asideUntil = this.oomExit?.time ?? this.asideUntil;
    this.wanted = null;
  }

  /** Reads a pasted text or a file; a name is shown where there is one. */
  async read(source: DoctorSource, name: string | null): Promise<void> {
    // What is still being read is about another text: its answer would stand under this one's name.
    if (this.progress !== null) this.runner.stop();
    this.progress = 0;
    this.failed = false;
    this.notText = null;
    this.name = name;
    try {
      const reading = await this.runner.read(source, (share) => (this.progress = share));
      if (reading === null) {
        this.notText = name ?? '';
        this.close();
        return;
      }
      this.#source = source;
      const { oomExits, now } = this.sightings();
      this.told = suspectedOomExitOfText(reading.diagnosis.failures, oomExits, now, this.oomExit);
      this.diagnosis = joinSuspectedOomExits(reading.diagnosis, oomExits, now, this.oomExit);
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
    this.told = null;
    this.excerpt = null;
    this.chosen = null;
    this.name = null;
  }
}
