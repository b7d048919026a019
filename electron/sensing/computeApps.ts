/**
 * The compute processes that nvidia-smi lists, and when that list can be trusted. A round tells nothing new while no card's
 * memory moves: then it comes once in `restRounds`.
 */
import { appRowReader, type AppRow } from '../../shared/gpu/smi/queryApps';
import type { GpuProcess } from '../../shared/gpu/types';
import type { ProgramCall } from '../programs/programCall';
import { QueryLoop } from './queryLoop';
import { FieldList } from './smiQuery';
import { timestampMs } from './tickCollector';

export interface ComputeAppsOptions {
  readonly call: ProgramCall;
  readonly intervalMs: number;
  readonly only: () => readonly string[] | null;
  readonly onRound: (pids: readonly number[]) => void;
  readonly log: (level: 'info' | 'warn', text: string) => void;
}

/** So many rounds of the cards pass between two of a list that rests: a process that holds next to nothing is seen that much later. */
const restRounds = 5;
/**
 * The list rests after so many rounds in which no card's memory moved. To rest and to wake starts a program each, which costs as much as
 * some forty rounds of the list (27 ms against 0.6 ms of processor time on an H200), so it rests where a minute was still.
 */
const stillRounds = 60;

/** Rows of one round carry stamps a few milliseconds apart, as the cards are asked one after the other. */
const sameRoundMs = 250;

export class ComputeApps {
  private readonly loop: QueryLoop<AppRow>;
  private newest: { readonly rows: readonly AppRow[]; readonly at: number } | null = null;
  private startedAt: number | null = null;
  private askedAt = 0;
  private isBroken = false;
  /** The time between two rounds of the cards. */
  private intervalMs: number;
  /** The rounds of the cards since memory moved last, and what was in use then. */
  private still = 0;
  private used = '';

  constructor(options: ComputeAppsOptions) {
    this.intervalMs = options.intervalMs;
    this.loop = new QueryLoop<AppRow>({
      ...options,
      query: 'compute-apps',
      fields: FieldList.forApps(),
      mustSpeak: false,
      readerOf: appRowReader,
      wholeCount: () => null,
      beginsNext: (row, rows) => !isSameRound(rows[0]?.timestamp ?? null, row.timestamp, this.paceMs()),
      onRound: (rows) => {
        this.newest = { rows, at: Date.now() };
        options.onRound(rows.flatMap(({ process }) => process.pid ?? []));
      },
      onState: (state) => {
        this.isBroken = state.kind !== 'running';
      },
    });
  }

  /** Does nothing where it runs already. */
  start(now: number): void {
    if (this.startedAt !== null) return;
    this.startedAt = now;
    this.askedAt = now;
    this.isBroken = false;
    this.loop.start();
  }

  async stop(): Promise<void> {
    this.startedAt = null;
    this.newest = null;
    await this.loop.stop();
  }

  restart(intervalMs: number): void {
    this.intervalMs = intervalMs;
    this.still = 0;
    this.askAnew();
  }

  /** A round of the cards: `usedBytes` is what is in use on each. Wakes a list that rests as soon as that moves, and lets it rest. */
  notice(usedBytes: readonly (number | null)[]): void {
    const used = usedBytes.join();
    const rested = this.isResting();
    // What cannot be read may move at any time.
    this.still = used === this.used && !usedBytes.includes(null) ? this.still + 1 : 0;
    this.used = used;
    if (this.startedAt !== null && rested !== this.isResting()) this.askAnew();
  }

  private isResting(): boolean {
    return this.still >= stillRounds;
  }

  private paceMs(): number {
    return this.isResting() ? this.intervalMs * restRounds : this.intervalMs;
  }

  private askAnew(): void {
    this.askedAt = Date.now();
    this.isBroken = false;
    this.loop.restart(this.paceMs());
  }

  /**
   * The list of the newest round; null where it cannot be trusted. With no process on the cards the query prints
   * nothing at all, so silence means an empty list once the cards' query, last heard at `cardsReadAt`, has spoken
   * without it for more than a round; while both are silent the list stays.
   */
  list(cardsReadAt: number | null): readonly GpuProcess[] | null {
    if (this.startedAt === null || this.isBroken || cardsReadAt === null) return null;
    const patienceMs = this.paceMs() * 1.5 + 700;
    if (cardsReadAt - Math.max(this.newest?.at ?? 0, this.askedAt) > patienceMs) return [];
    return this.newest === null
      ? null
      : this.newest.rows.filter(({ hidden }) => !hidden).map(({ process }) => process);
  }

  /** The driver refuses to say which processes some rows are (MIG in a container). */
  hidesSome(): boolean {
    return this.newest?.rows.some(({ hidden }) => hidden) ?? false;
  }
}

function isSameRound(left: string | null, right: string | null, intervalMs: number): boolean {
  const [a, b] = [timestampMs(left), timestampMs(right)];
  return a === null || b === null || Math.abs(a - b) < Math.min(sameRoundMs, intervalMs / 2);
}
