/**
 * nvidia-smi as a source of readings: one looped child for the cards, one for the compute processes, and now and then
 * the detailed report. It keeps the newest of each and what is wrong at the moment.
 */
import { problem } from '../../shared/gpu/problems';
import { faultProblems } from '../../shared/gpu/smi/faults';
import { appRowReader, type AppRow, type AppRowReader } from '../../shared/gpu/smi/queryApps';
import { gpuRowReader, type GpuRow, type GpuRowReader } from '../../shared/gpu/smi/queryGpu';
import type { CardReading, GpuProcess, Problem } from '../../shared/gpu/types';
import { KiB, MiB } from '../../shared/units';
import { LineStream, type LineStreamLimits, type StreamState } from './lineStream';
import { LostCards } from './lostCards';
import type { ProgramCall } from './programCall';
import { SmiDetails, type Details } from './smiDetails';
import { endProblems, smiProblem, startProblem } from './smiProblems';
import { FieldList, loopArguments } from './smiQuery';
import { TickCollector, timestampMs } from './tickCollector';

export interface NvidiaSmiOptions {
  readonly call: ProgramCall;
  readonly intervalMs: number;
  /** Bus ids of the cards that the driver itself lists; empty where it lists none. */
  readonly attachedBuses: readonly string[];
  /** A whole round of cards has been read. */
  readonly onTick: () => void;
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

/** Rows of one round follow each other at once; what comes later belongs to the next. */
const quietMs = 60;
/** Rows of one round of processes carry stamps a few milliseconds apart. */
const sameRoundMs = 250;
/** How long past its time an answer may be before the child counts as hung: shown within 5 s at one reading a second. */
const overdueMs = 3000;
const staleAfterMs = 1500;
const firstLineMs = 4500;
/** A child that is silent for so long is ended; a first answer may take some 25 s in a container without persistence. */
const giveUpMs = 30_000;
const maxLineBytes = 16 * KiB;
const maxBytesPerSecond = 4 * MiB;

export class NvidiaSmi {
  private readonly cardFields = FieldList.forCards();
  private readonly appFields = FieldList.forApps();
  private readCard: GpuRowReader;
  private readApp: AppRowReader;
  private readonly cardStream: LineStream;
  private readonly appStream: LineStream;
  private readonly cardTicks: TickCollector<GpuRow>;
  private readonly appTicks: TickCollector<AppRow>;
  private readonly details: SmiDetails;
  private readonly lost: LostCards;
  private rows: readonly GpuRow[] = [];
  private cardsReadAt: number | null = null;
  private failing: readonly Problem[] = [];
  private apps: { readonly rows: readonly AppRow[]; readonly at: number } | null = null;
  private appsStartedAt: number | null = null;
  private appsBroken = false;
  private streamsStartedAt = Date.now();
  private intervalMs: number;

  constructor(private readonly options: NvidiaSmiOptions) {
    this.intervalMs = options.intervalMs;
    this.lost = new LostCards(options.attachedBuses);
    this.readCard = gpuRowReader(this.cardFields.fields());
    this.readApp = appRowReader(this.appFields.fields());
    this.cardTicks = new TickCollector<GpuRow>(
      {
        wholeCount: ({ count }) => (count === null ? null : count - this.lost.leftOut().length),
        beginsNext: (row, rows) => rows.some(({ card }) => sameCard(card, row.card)),
        quietMs,
      },
      (rows) => this.takeCards(rows, Date.now()),
    );
    this.appTicks = new TickCollector<AppRow>(
      {
        wholeCount: () => null,
        beginsNext: (row, rows) => !sameRound(rows[0]?.timestamp ?? null, row.timestamp),
        quietMs,
      },
      (rows) => {
        this.apps = { rows, at: Date.now() };
        this.details.notice(rows.flatMap(({ process }) => process.pid ?? []));
      },
    );
    this.cardStream = new LineStream(options.call, this.cardArguments(), this.cardLimits(), {
      onLine: (line) => {
        const row = this.readCard(line);
        if (row !== null) this.cardTicks.add(row);
      },
      onState: (state) => this.cardStreamChanged(state),
    });
    this.appStream = new LineStream(options.call, this.appArguments(), this.appLimits(), {
      onLine: (line) => {
        const row = this.readApp(line);
        if (row !== null) this.appTicks.add(row);
      },
      onState: (state) => this.appStreamChanged(state),
    });
    this.details = new SmiDetails(options.call, () => this.lost.askedOnly(), options.log);
  }

  /** Starts both loops at once, so that what they say belongs to the same moment. */
  start(): void {
    this.cardStream.start();
    this.startApps(Date.now());
  }

  async stop(): Promise<void> {
    this.cardTicks.clear();
    this.appTicks.clear();
    await Promise.all([this.cardStream.stop(), this.appStream.stop(), this.details.stop()]);
  }

  setInterval(intervalMs: number): void {
    if (intervalMs === this.intervalMs) return;
    this.intervalMs = intervalMs;
    this.restartStreams();
  }

  /** Everything that is known at `now`. */
  readings(now: number): SmiReadings {
    const silence = this.cardStream.state();
    const faults = this.rows.flatMap((row) => faultProblems(row.card, row.faults));
    return {
      cards: this.lost.withLost(this.rows.map(({ card }) => card)),
      lostGpuIndices: this.lost.indices(),
      cardsReadAt: this.cardsReadAt,
      driverVersion: this.rows.find(({ driverVersion }) => driverVersion !== null)?.driverVersion ?? null,
      apps: this.trustedApps(),
      isStale:
        this.failing.length > 0 ||
        (this.cardsReadAt !== null && now - this.cardsReadAt > this.intervalMs + staleAfterMs),
      details: this.details.newest(),
      problems: [
        ...this.failing,
        ...silenceProblems(silence, now),
        ...faults,
        ...this.lost.problems(),
        ...(this.apps?.rows.some(({ hidden }) => hidden) === true
          ? [problem.processesHidden({ index: null, label: '?' })]
          : []),
        ...this.details.problems(),
      ],
    };
  }

  /** Whether every part has answered once or is known not to. */
  isSettled(): boolean {
    if (this.failing.length > 0 && this.cardsReadAt === null) return true;
    return this.cardsReadAt !== null && this.trustedApps() !== null && this.details.hasAnswered();
  }

  private takeCards(rows: readonly GpuRow[], now: number): void {
    const reportedLost = rows.filter(({ faults }) => faults.lost);
    this.lost.takeReported(reportedLost.map(({ card }) => card));
    this.rows = rows.filter(({ faults }) => !faults.lost);
    this.lost.remember(this.rows.map(({ card }) => card));
    this.cardsReadAt = now;
    this.failing = [];
    if (this.appsStartedAt === null) this.startApps(now);
    const attached = rows.find(({ count }) => count !== null)?.count ?? null;
    this.details.tick(now, attached);
    if (attached !== null && this.details.listsMoreThan(attached, this.streamsStartedAt))
      this.restartStreams();
    else if (this.lost.isProbeDue(now)) void this.lookForReturned(now);
    this.options.onTick();
  }

  private cardStreamChanged(state: StreamState): void {
    switch (state.kind) {
      case 'ended':
        this.cardTicks.clear();
        this.cardStreamEnded(state);
        return;
      case 'notStarted':
        this.fail([startProblem(this.options.call.command, state.code)]);
        return;
      case 'flooded':
        this.fail([smiProblem.flood(maxBytesPerSecond)]);
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

  private cardStreamEnded(state: Extract<StreamState, { kind: 'ended' }>): void {
    const problems = endProblems(this.options.call.command, state);
    const refused = problems.flatMap(refusedField).filter((field) => this.cardFields.refuse(field));
    if (refused.length > 0) {
      this.options.log('info', `this driver does not know ${refused.join(', ')}; asked no more`);
      this.readCard = gpuRowReader(this.cardFields.fields());
      this.cardStream.restartWith(this.options.call, this.cardArguments(), this.cardLimits());
      return;
    }
    if (this.lost.takeUnreachable(problems)) {
      this.rows = this.rows.filter(({ card }) => !this.lost.has(card));
      this.restartStreams();
      return;
    }
    this.fail(problems);
  }

  private startApps(now: number): void {
    this.appsStartedAt = now;
    this.appStream.start();
  }

  /** nvidia-smi as a whole does not work: what it said stands where the cards were. */
  private fail(problems: readonly Problem[]): void {
    this.options.log('warn', `nvidia-smi: ${problems.map(({ code }) => code).join(', ')}`);
    this.failing = problems;
    // One that ended by itself after it had worked comes back; its last values stay for that moment.
    if (problems.some(({ code }) => code !== 'smi-ended')) this.rows = [];
    if (this.appsStartedAt === null) return;
    this.appsStartedAt = null;
    this.apps = null;
    void this.appStream.stop();
  }

  private appStreamChanged(state: StreamState): void {
    this.appsBroken = state.kind !== 'running';
    if (state.kind !== 'ended') return;
    this.appTicks.clear();
    const refused = endProblems(this.options.call.command, state)
      .flatMap(refusedField)
      .filter((field) => this.appFields.refuse(field));
    if (refused.length === 0) return;
    this.readApp = appRowReader(this.appFields.fields());
    this.appStream.restartWith(this.options.call, this.appArguments(), this.appLimits());
    this.appsBroken = false;
  }

  /**
   * The list of the newest round. With no process on the cards the query prints nothing at all, so silence means an
   * empty list once the cards' query has spoken without it for more than a round; while both are silent the list
   * stays.
   */
  private trustedApps(): readonly GpuProcess[] | null {
    if (this.appsStartedAt === null || this.appsBroken || this.cardsReadAt === null) return null;
    const patienceMs = this.intervalMs * 1.5 + 700;
    const heardAt = this.apps?.at ?? this.appsStartedAt;
    if (this.cardsReadAt - heardAt > patienceMs) return [];
    return this.apps === null
      ? null
      : this.apps.rows.filter(({ hidden }) => !hidden).map(({ process }) => process);
  }

  /** A lost card may have come back. */
  private async lookForReturned(now: number): Promise<void> {
    const answered = await this.lost.probe(this.options.call, now);
    if (answered) this.restartStreams();
  }

  private restartStreams(): void {
    this.streamsStartedAt = Date.now();
    this.cardStream.restartWith(this.options.call, this.cardArguments(), this.cardLimits());
    this.appStream.restartWith(this.options.call, this.appArguments(), this.appLimits());
    this.cardTicks.clear();
    this.appTicks.clear();
  }

  private cardArguments(): readonly string[] {
    return loopArguments({
      query: 'gpu',
      fields: this.cardFields.fields(),
      intervalMs: this.intervalMs,
      only: this.lost.askedOnly(),
    });
  }

  private appArguments(): readonly string[] {
    return loopArguments({
      query: 'compute-apps',
      fields: this.appFields.fields(),
      intervalMs: this.intervalMs,
      only: this.lost.askedOnly(),
    });
  }

  private cardLimits(): LineStreamLimits {
    return {
      silenceMs: this.intervalMs + overdueMs,
      firstLineMs,
      giveUpMs: this.intervalMs + giveUpMs,
      maxLineBytes,
      maxBytesPerSecond,
    };
  }

  private appLimits(): LineStreamLimits {
    return { silenceMs: null, firstLineMs: null, giveUpMs, maxLineBytes, maxBytesPerSecond };
  }
}

function silenceProblems(state: StreamState, now: number): readonly Problem[] {
  switch (state.kind) {
    case 'silent':
      return [smiProblem.silent(Math.round((now - state.sinceMs) / 1000))];
    case 'stuck':
      return [smiProblem.stuck(state.pid)];
    case 'running':
    case 'stopped':
    case 'ended':
    case 'flooded':
    case 'notStarted':
      return [];
  }
}

function refusedField({ code, message: text }: Problem): readonly string[] {
  const field = text.values['field'];
  return code === 'field-unknown' && typeof field === 'string' ? [field] : [];
}

function sameCard(left: CardReading, right: CardReading): boolean {
  if (left.index !== null && right.index !== null) return left.index === right.index;
  return left.pciBusId !== null && left.pciBusId === right.pciBusId;
}

function sameRound(left: string | null, right: string | null): boolean {
  const [a, b] = [timestampMs(left), timestampMs(right)];
  return a === null || b === null || Math.abs(a - b) < sameRoundMs;
}
