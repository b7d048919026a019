/** Which entries of a history a chart shows. */

export interface EntryRange {
  /** The first entry. */
  readonly from: number;
  /** The entry after the last. */
  readonly to: number;
}

/** Fewer entries make no course. */
const leastEntries = 20;

/** Half or twice as many entries around one of them, which keeps its place; within 0 and `count`. */
export function zoomed({ from, to }: EntryRange, around: number, factor: number, count: number): EntryRange {
  const length = Math.min(count, Math.max(Math.min(leastEntries, count), Math.round((to - from) * factor)));
  const share = to > from ? (around - from) / (to - from) : 0.5;
  const start = Math.round(around - share * length);
  const clamped = Math.min(Math.max(0, start), count - length);
  return { from: clamped, to: clamped + length };
}

/** The same number of entries, moved so that one of them is shown. */
export function showing({ from, to }: EntryRange, event: number, count: number): EntryRange {
  if (event >= from && event < to) return { from, to };
  const length = to - from;
  const start = Math.min(Math.max(0, event - Math.floor(length / 2)), Math.max(0, count - length));
  return { from: start, to: start + length };
}
