import type { CardHistory } from '../../shared/snapshot/history/history';
import type { BarFill } from '../ui/barParts';

export interface ChartPoint {
  readonly x: number;
  /** Bytes; NaN where nothing was read, which chart.js draws as a gap. */
  readonly y: number;
}

/** One layer of a card's stacked memory chart. */
interface ChartLayer {
  readonly key: string;
  readonly name: string;
  readonly fill: BarFill;
  readonly points: readonly ChartPoint[];
}

export interface MemorySeries {
  /** Bottom to top, in the order of the colours. */
  readonly layers: readonly ChartLayer[];
  /** The highest value of each interval, where it differs from the mean: a spike that the mean hides. */
  readonly peaks: readonly ChartPoint[];
}

/** Lays a card's past out as layers that add up to what was in use; what no job held is the topmost. */
export function memorySeries(
  history: CardHistory,
  fillOf: (jobId: string) => BarFill,
  restName: string,
): MemorySeries {
  const jobs = [...history.jobs].sort((a, b) => (a.jobId < b.jobId ? -1 : a.jobId > b.jobId ? 1 : 0));
  const used = history.times.map((_, index) => history.usedBytes[index] ?? null);
  const layers: ChartLayer[] = jobs.map((job) => ({
    key: job.jobId,
    name: job.title,
    fill: fillOf(job.jobId),
    points: history.times.map((x, index) => ({
      x,
      y: used[index] === null ? NaN : (job.usedBytes[index] ?? 0),
    })),
  }));
  const rest = history.times.map((x, index): ChartPoint => {
    const held = jobs.reduce((sum, job) => sum + (job.usedBytes[index] ?? 0), 0);
    const total = used[index] ?? null;
    return { x, y: total === null ? NaN : Math.max(0, total - held) };
  });
  if (rest.some((point) => point.y > 0)) {
    layers.push({ key: 'unattributed', name: restName, fill: { kind: 'unattributed' }, points: rest });
  }
  return { layers, peaks: peaksOf(history) };
}

function peaksOf(history: CardHistory): readonly ChartPoint[] {
  const points = history.times.map((x, index) => ({ x, y: history.usedMaxBytes[index] ?? NaN }));
  const differs = points.some((point, index) => point.y > (history.usedBytes[index] ?? Infinity));
  return differs ? points : [];
}

export interface HistoryRange {
  readonly nowBytes: number;
  readonly lowBytes: number;
  readonly highBytes: number;
}

/** The newest, lowest and highest value known; null where nothing was read. */
export function historyRange(history: CardHistory): HistoryRange | null {
  const known = history.usedBytes.filter((bytes) => bytes !== null);
  const nowBytes = known[known.length - 1];
  if (nowBytes === undefined) return null;
  const lows = history.usedMinBytes.filter((bytes) => bytes !== null);
  const highs = history.usedMaxBytes.filter((bytes) => bytes !== null);
  return {
    nowBytes,
    lowBytes: [...known, ...lows].reduce((a, b) => Math.min(a, b)),
    highBytes: [...known, ...highs].reduce((a, b) => Math.max(a, b)),
  };
}

/** The index of about `count` points spread evenly over a series, the last always among them. */
export function evenlySpread(length: number, count: number): readonly number[] {
  if (length <= count) return Array.from({ length }, (_, index) => index);
  return Array.from({ length: count }, (_, index) => Math.round((index * (length - 1)) / (count - 1)));
}
