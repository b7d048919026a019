/**
 * The detailed report, `nvidia-smi -q -x`: it alone tells desktop programs, MIG and versions, and costs a start of
 * nvidia-smi (some 100 ms of processor time) and ten times a query. It is asked at the start, when something changed,
 * and every few minutes; never twice at a time, and the more rarely the less it has told that the queries do not. The
 * names and UUIDs of MIG devices stand in `nvidia-smi -L` only, which is asked once for each set of them.
 */
import { machineProblem } from '../../shared/gpu/problems';
import { migKey, withMigNames } from '../../shared/gpu/migNames';
import { readList } from '../../shared/gpu/smi/list';
import { readQueryXml } from '../../shared/gpu/smi/queryXml';
import type { CardReading, GpuProcess, Problem } from '../../shared/gpu/types';
import { MiB } from '../../shared/units';
import type { ProgramCall } from '../programs/programCall';
import { runOnce } from '../programs/runOnce';

export interface Details {
  readonly cards: readonly CardReading[];
  readonly processes: readonly GpuProcess[];
  readonly driverVersion: string | null;
  readonly cudaVersion: string | null;
  readonly problems: readonly Problem[];
  /** Milliseconds since the epoch. */
  readonly readAt: number;
}

/** `-q -x` of 16 cards with all their clocks is about 2 MiB. */
const maxBytes = 16 * MiB;
/** Some multi-GPU machines take six seconds, containers without persistence up to 24. */
const timeoutMs = 40_000;
const regularMs = 120_000;
/** The same on machines without desktop programs, MIG and faults, whose queries tell all there is. */
const plainMs = 600_000;
/** The memory of MIG instances is told nowhere else. */
const migMs = 5000;
const leastGapMs = 3000;
/** On a plain machine a new process is worth a report, but the pauses grow: where programs come and go, so would reports. */
const plainGapMs = 6000;
const longestGapMs = 120_000;

/** Problems of the report that the readings of every tick tell as well, or that follow from what was asked. */
const toldElsewhere: ReadonlySet<string> = new Set([
  'cards-missing',
  'card-lost',
  'card-unreachable',
  'card-needs-reset',
  'unified-memory',
  'card-error',
]);

export class SmiDetails {
  private details: Details | null = null;
  private failed = false;
  private running = false;
  private readonly stopping = new AbortController();
  private ended: Promise<void> = Promise.resolve();
  private wanted = true;
  private startedAt = -Infinity;
  private gapMs = leastGapMs;
  private knownPids: ReadonlySet<number> = new Set();
  /** Pids that came since the newest report was asked for, and are not in it. */
  private readonly unreported = new Set<number>();
  private attached: number | null = null;
  /** What `-L` last said, and for which MIG devices it was asked. */
  private listed: readonly CardReading[] = [];
  private listedFor = '';

  constructor(
    private readonly call: ProgramCall,
    private readonly askedOnly: () => readonly string[] | null,
    private readonly log: (level: 'info' | 'warn', text: string) => void,
  ) {}

  newest(): Details | null {
    return this.details;
  }

  hasAnswered(): boolean {
    return this.details !== null || this.failed;
  }

  problems(): readonly Problem[] {
    if (this.failed && this.details === null) return [machineProblem('smi-details-missing')];
    return (this.details?.problems ?? []).filter(({ code }) => !toldElsewhere.has(code));
  }

  /** The pids of the newest round of compute processes; one that no report has seen makes the next worth its cost. */
  notice(pids: readonly number[]): void {
    for (const pid of pids) if (!this.knownPids.has(pid)) this.unreported.add(pid);
    this.knownPids = new Set(pids);
    for (const pid of this.unreported) if (!this.knownPids.has(pid)) this.unreported.delete(pid);
    this.forgetReported();
  }

  /** Something happened that the newest report does not know of. */
  outdate(): void {
    this.wanted = true;
  }

  /**
   * Called every tick: asks for a report where one is due. `isSuspicious`: memory is in use that no listed process holds,
   * maybe by a desktop program that has come since.
   */
  tick(now: number, attached: number | null, isSuspicious: boolean): void {
    if (attached !== null && attached !== this.attached) this.wanted = true;
    this.attached = attached ?? this.attached;
    if (this.running || this.stopping.signal.aborted) return;
    const waitedMs = now - this.startedAt;
    const isDue =
      (this.wanted && waitedMs >= leastGapMs) ||
      (this.unreported.size > 0 && waitedMs >= this.gapMs) ||
      waitedMs > this.regularMs(isSuspicious);
    if (isDue) this.ended = this.ask(now);
  }

  private regularMs(isSuspicious: boolean): number {
    const { details } = this;
    if (details?.cards.some(({ mig }) => mig.length > 0) === true) return migMs;
    return isSuspicious || this.failed || details === null || !isPlain(details) ? regularMs : plainMs;
  }

  private forgetReported(): void {
    for (const { pid } of this.details?.processes ?? []) if (pid !== null) this.unreported.delete(pid);
  }

  /** Whether a report since that time counts more cards than a looped query, whose child knows those of its start. */
  listsMoreThan(attached: number, since: number): boolean {
    return this.details !== null && this.details.readAt > since && this.details.cards.length > attached;
  }

  /** Ends a run that is under way; resolves when it is gone. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }

  private async ask(now: number): Promise<void> {
    this.running = true;
    this.wanted = false;
    this.unreported.clear();
    this.startedAt = now;
    const only = this.askedOnly();
    const args = ['-q', '-x', ...(only === null ? [] : [`--id=${only.join(',')}`])];
    const { signal } = this.stopping;
    const result = await runOnce(this.call, args, { timeoutMs, maxBytes }, signal);
    if (signal.aborted) return;
    if (result.kind === 'ended') {
      this.take(result.text, result.exitCode);
      this.forgetReported();
      this.gapMs = this.nextGapMs();
      await this.askNames(this.details?.cards ?? []);
      if (signal.aborted) return;
    } else this.failed = true;
    if (result.kind === 'timeout' || result.kind === 'flood') {
      this.log('warn', `nvidia-smi -q -x: ${result.kind}`);
      await result.gone;
    }
    this.running = false;
  }

  private nextGapMs(): number {
    if (this.details === null || !isPlain(this.details)) return leastGapMs;
    return Math.min(Math.max(plainGapMs, 2 * this.gapMs), longestGapMs);
  }

  /** A MIG device keeps its name as long as it is there; where `-L` fails, the devices go without names. */
  private async askNames(cards: readonly CardReading[]): Promise<void> {
    const devices = migKey(cards);
    if (devices === '' || devices === this.listedFor) return;
    this.listedFor = devices;
    const result = await runOnce(this.call, ['-L'], { timeoutMs, maxBytes }, this.stopping.signal);
    if (result.kind !== 'ended' || this.details === null) return;
    this.listed = readList(result.text).cards;
    this.details = { ...this.details, cards: withMigNames(this.details.cards, this.listed) };
  }

  private take(text: string, exitCode: number | null): void {
    const reading = readQueryXml(text);
    // A damaged infoROM gives exit 14 with a whole report.
    this.failed = reading.cards.length === 0;
    if (this.failed) this.log('warn', `nvidia-smi -q -x gave no card (exit ${exitCode})`);
    else
      this.details = {
        cards: withMigNames(reading.cards, this.listed),
        processes: reading.processes.map((process) => ({
          ...process,
          // The report counts the cards it lists; which they are is told by their UUIDs.
          gpuUuid: process.gpuIndex === null ? null : (reading.cards[process.gpuIndex]?.uuid ?? null),
          gpuIndex: null,
        })),
        driverVersion: reading.driverVersion,
        cudaVersion: reading.cudaVersion,
        problems: reading.problems,
        readAt: Date.now(),
      };
  }
}

/** Whether a report told nothing but versions that the queries of every tick do not tell as well. */
function isPlain({ cards, processes, problems }: Details): boolean {
  return (
    cards.every(({ mig }) => mig.length === 0) &&
    processes.every(({ type }) => type === 'C') &&
    problems.length === 0
  );
}
