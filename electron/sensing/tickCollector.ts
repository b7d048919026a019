/**
 * Rows of a looped query, put together to what belongs to one moment. nvidia-smi marks no end of a round, so it ends
 * when all cards have come, when a row comes for the second time, or when no further row follows.
 */
export class TickCollector<Row> {
  private rows: Row[] = [];
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly rules: {
      /** How many rows a whole round has; null where that is not known. */
      readonly wholeCount: (row: Row) => number | null;
      /** Whether the row cannot belong to the round of these rows. */
      readonly beginsNext: (row: Row, rows: readonly Row[]) => boolean;
      readonly quietMs: number;
    },
    private readonly onTick: (rows: readonly Row[]) => void,
  ) {}

  add(row: Row): void {
    if (this.rows.length > 0 && this.rules.beginsNext(row, this.rows)) this.finish();
    this.rows.push(row);
    const whole = this.rules.wholeCount(row);
    if (whole !== null && this.rows.length >= whole) this.finish();
    else {
      if (this.timer !== null) clearTimeout(this.timer);
      this.timer = setTimeout(() => this.finish(), this.rules.quietMs);
    }
  }

  /** Forgets a round that has begun. */
  clear(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.rows = [];
  }

  private finish(): void {
    const rows = this.rows;
    this.clear();
    if (rows.length > 0) this.onTick(rows);
  }
}

/** Milliseconds of nvidia-smi's own timestamp, `2026/11/29 14:38:02.129`, on an arbitrary scale; null for others. */
export function timestampMs(stamp: string | null): number | null {
  const match = /^(\d{4})\/(\d{2})\/(\d{2}) (\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,3}))?$/.exec(stamp ?? '');
  if (match === null) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) + Number((match[7] ?? '0').padEnd(3, '0'));
}
