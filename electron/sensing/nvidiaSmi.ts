/**
 * nvidia-smi as a source of readings: one looped child for the cards, one for the compute processes, and now and then
 * the detailed report. It keeps the newest of each and what is wrong at the moment.
 */
import { cardProblem, machineProblem } from '../../shared/gpu/problems';
import { faultProblems } from '../../shared/gpu/smi/faults';
import { gpuRowReader, type GpuRow } from '../../shared/gpu/smi/queryGpu';
import type { CardReading, GpuProcess, Problem } from '../../shared/gpu/types';
import { ComputeApps } from './computeApps';
import type { StreamState } from './lineStream';
import { LostCards } from './lostCards';
import type { ProgramCall } from '../programs/programCall';
import { maxBytesPerSecond, QueryLoop } from './queryLoop';
import { SmiDetails, type Details } from './smiDetails';
import { endProblems, startProblem } from './smiProblems';
import { FieldList } from './smiQuery';

export interface NvidiaSmiOptions {
  readonly call: ProgramCall;
  readonly intervalMs: number;
  /** Bus ids of the cards that the driver itself lists; empty where it lists none. */
  readonly attachedBuses: readonly string[];
  /** Whether memory is in use that no listed process holds. */
  readonly isSuspicious: () => boolean;
  /** A whole round of cards has been read. */
  readonly onTick: () => void;
  /** nvidia-smi as a whole has failed; what is wrong stands in the readings. */
  readonly onFailure: () => void;
  readonly log: (level: 'info' | 'warn', text: string) => void;
}

/** The newest of everything; times are milliseconds since the epoch. */
export interface SmiReadings {
  readonly cards: readonly CardReading[];
  readonly lostGpuIndices: ReadonlySet<number>;
  readonly cardsReadAt: number | null;
  readonly driverVersion: string | null;
  /** Null while the list of compute processes cannot be trusted. */
  readonly apps: readonly GpuProcess[] | null;
  /** nvidia-smi fails, or cards and processes are the last ones read, longer ago than a round takes. */
  readonly isStale: boolean;
  readonly details: Details | null;
  readonly problems: readonly Problem[];
}

/** How long past its time a round may be before the last one no longer counts as the present. */
const staleAfterMs = 1500;

export class NvidiaSmi {
  private readonly cards: QueryLoop<GpuRow>;
  private readonly apps: ComputeApps;
  private readonly details: SmiDetails;
  private readonly lost: LostCards;
  private rows: readonly GpuRow[] = [];
  private cardsReadAt: number | null = null;
  private failing: readonly Problem[] = [];
  private askedAt = Date.now();
  private intervalMs: number;

  constructor(private readonly options: NvidiaSmiOptions) {
    const { call, intervalMs, attachedBuses, log } = options;
    this.intervalMs = intervalMs;
    this.lost = new LostCards(attachedBuses);
    const only = (): readonly string[] | null => this.lost.askedOnly();
    this.details = new SmiDetails(call, only, log);
    this.apps = new ComputeApps({
      call,
      intervalMs,
      only,
      log,
      onRound: (pids) => this.details.notice(pids),
    });
    this.cards = new QueryLoop<GpuRow>({
      call,
      intervalMs,
      only,
      log,
      query: 'gpu',
      fields: FieldList.forCards(),
      mustSpeak: true,
      readerOf: gpuRowReader,
      wholeCount: ({ count }) => (count === null ? null : count - this.lost.leftOut().length),
      beginsNext: (row, rows) => rows.some(({ card }) => isSameCard(card, row.card)),
      onRound: (rows) => this.takeCards(rows, Date.now()),
      onState: (state) => this.cardsChanged(state),
    });
  }

  /** Starts both loops at once, so that what they say belongs to the same moment. */
  start(): void {
    this.cards.start();
    this.apps.start(Date.now());
  }

  async stop(): Promise<void> {
    await Promise.all([this.cards.stop(), this.apps.stop(), this.details.stop()]);
  }

  setInterval(intervalMs: number): void {
    if (intervalMs === this.intervalMs) return;
    this.intervalMs = intervalMs;
    this.askAnew();
  }

  /** nvidia-smi fails, or its last round is longer ago than one takes. */
  isStale(now: number): boolean {
    const isOld = this.cardsReadAt !== null && now - this.cardsReadAt > this.intervalMs + staleAfterMs;
    return this.failing.length > 0 || isOld;
  }

  /** Everything that is known at `now`. */
  readings(now: number): SmiReadings {
    return {
      cards: this.lost.withLost(this.rows.map(({ card }) => card)),
      lostGpuIndices: this.lost.indices(),
      cardsReadAt: this.cardsReadAt,
      driverVersion: this.rows.find(({ driverVersion }) => driverVersion !== null)?.driverVersion ?? null,
      apps: this.apps.list(this.cardsReadAt),
      isStale: this.isStale(now),
      details: this.details.newest(),
      problems: [
        ...this.failing,
        ...silenceProblems(this.cards.state(), now),
        ...this.rows.flatMap((row) => faultProblems(row.card, row.faults)),
        ...this.lost.problems(),
        ...(this.apps.hidesSome() ? [cardProblem('processes-hidden', { index: null, label: '?' })] : []),
        ...this.details.problems(),
      ],
    };
  }

  /** Whether every part has answered once or is known not to. */
  isSettled(): boolean {
    if (this.failing.length > 0 && this.cardsReadAt === null) return true;
    return (
      this.cardsReadAt !== null && this.apps.list(this.cardsReadAt) !== null && this.details.hasAnswered()
    );
  }

  private takeCards(rows: readonly GpuRow[], now: number): void {
    this.lost.takeReported(rows.filter(({ faults }) => faults.lost).map(({ card }) => card));
    this.rows = rows.filter(({ faults }) => !faults.lost);
    this.lost.remember(this.rows.map(({ card }) => card));
    this.cardsReadAt = now;
    if (this.failing.length > 0) this.details.outdate();
    this.failing = [];
    this.apps.start(now);
    this.apps.notice(this.rows.map(({ card }) => card.memoryUsedBytes));
    const attached = rows.find(({ count }) => count !== null)?.count ?? null;
    this.details.tick(now, attached, this.options.isSuspicious());
    if (attached !== null && this.details.listsMoreThan(attached, this.askedAt)) this.askAnew();
    else if (this.lost.isProbeDue(now)) void this.lookForReturned(now);
    this.options.onTick();
  }

  private cardsChanged(state: StreamState): void {
    switch (state.kind) {
      case 'ended':
        this.cardsEnded(endProblems(this.options.call.command, state));
        return;
      case 'notStarted':
        this.fail([startProblem(this.options.call.command, state.code)]);
        return;
      case 'flooded':
        this.fail([machineProblem('smi-flood', maxBytesPerSecond)]);
        return;
      case 'silent':
      case 'stuck':
        this.options.log('warn', `nvidia-smi is ${state.kind}`);
        return;
      case 'running':
      case 'stopped':
        return;
    }
  }

  private cardsEnded(problems: readonly Problem[]): void {
    if (!this.lost.takeUnreachable(problems)) {
      this.fail(problems);
      return;
    }
    this.rows = this.rows.filter(({ card }) => !this.lost.has(card));
    this.details.outdate();
    this.askAnew();
  }

  /** nvidia-smi as a whole does not work: what it said stands where the cards were, and nothing else is asked. */
  private fail(problems: readonly Problem[]): void {
    this.options.log('warn', `nvidia-smi: ${problems.map(({ code }) => code).join(', ')}`);
    this.failing = problems;
    // One that ended by itself after it had worked comes back; its last values stay for that moment.
    if (problems.some(({ code }) => code !== 'smi-ended')) this.rows = [];
    void this.apps.stop();
    this.options.onFailure();
  }

  /** A lost card may have come back. */
  private async lookForReturned(now: number): Promise<void> {
    if (await this.lost.probe(this.options.call, now)) this.askAnew();
  }

  private askAnew(): void {
    this.askedAt = Date.now();
    this.cards.restart(this.intervalMs);
    this.apps.restart(this.intervalMs);
  }
}

function silenceProblems(state: StreamState, now: number): readonly Problem[] {
  switch (state.kind) {
    case 'silent':
      return [machineProblem('smi-silent', Math.round((now - state.sinceMs) / 1000))];
    case 'stuck':
      return [machineProblem('smi-stuck', state.pid)];
    case 'running':
    case 'stopped':
    case 'ended':
    case 'flooded':
    case 'notStarted':
      return [];
  }
}

function isSameCard(left: CardReading, right: CardReading): boolean {
  if (left.index !== null && right.index !== null) return left.index === right.index;
  return left.pciBusId !== null && left.pciBusId === right.pciBusId;
}
