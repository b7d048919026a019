/** The compute processes that nvidia-smi lists every round, and when that list can be trusted. */
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

/** Rows of one round carry stamps a few milliseconds apart, as the cards are asked one after the other. */
const sameRoundMs = 250;

export class ComputeApps {
  private readonly loop: QueryLoop<AppRow>;
  private newest: { readonly rows: readonly AppRow[]; readonly at: number } | null = null;
  private startedAt: number | null = null;
  private isBroken = false;
  private intervalMs: number;

  constructor(options: ComputeAppsOptions) {
    this.intervalMs = options.intervalMs;
    this.loop = new QueryLoop<AppRow>({
      ...options,
      query: 'compute-apps',
      fields: FieldList.forApps(),
      mustSpeak: false,
      readerOf: appRowReader,
      wholeCount: () => null,
      beginsNext: (row, rows) => !isSameRound(rows[0]?.timestamp ?? null, row.timestamp, this.intervalMs),
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
    this.isBroken = false;
    this.loop.restart(intervalMs);
  }

  /**
   * The list of the newest round; null where it cannot be trusted. With no process on the cards the query prints
   * nothing at all, so silence means an empty list once the cards' query, last heard at `cardsReadAt`, has spoken
   * without it for more than a round; while both are silent the list stays.
   */
  list(cardsReadAt: number | null): readonly GpuProcess[] | null {
    if (this.startedAt === null || this.isBroken || cardsReadAt === null) return null;
    const patienceMs = this.intervalMs * 1.5 + 700;
    if (cardsReadAt - (this.newest?.at ?? this.startedAt) > patienceMs) return [];
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
