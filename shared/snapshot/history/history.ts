/** How far back a chart looks. */
export const historySpans = ['fiveMinutes', 'hour', 'day'] as const;
export type HistorySpan = (typeof historySpans)[number];

/** What a chart asks for: a span that ends now, and its width, so that it gets no more points than it can draw. */
export interface HistoryRequest {
  readonly span: HistorySpan;
  /** CSS pixels; at most about two points a pixel come back. */
  readonly pixelWidth: number;
}

/** One job's memory on one card; `usedBytes[i]` belongs to the card's `times[i]`, null where it was not there. */
export interface JobMemorySeries {
  readonly jobId: string;
  readonly title: string;
  readonly usedBytes: readonly (number | null)[];
}

/** One card's past. All arrays have the length of `times`; a value is null where nothing was read. */
export interface CardHistory {
  readonly gpuIndex: number;
  /** Seconds since the epoch, rising; the start of each point's interval. */
  readonly times: readonly number[];
  /** Memory in use: the mean of each point's interval, with its extremes, so that a short spike stays visible. */
  readonly usedBytes: readonly (number | null)[];
  readonly usedMinBytes: readonly (number | null)[];
  readonly usedMaxBytes: readonly (number | null)[];
  readonly utilizationPercent: readonly (number | null)[];
  readonly jobs: readonly JobMemorySeries[];
}

/** A moment worth a mark in the chart. */
export interface HistoryMark {
  readonly time: number;
  readonly kind: 'started' | 'ended' | 'killed';
  readonly jobId: string;
  readonly title: string;
  readonly gpuIndices: readonly number[];
}

/** The past of every card over one span; times are seconds since the epoch. */
export interface History {
  readonly span: HistorySpan;
  readonly fromTime: number;
  readonly toTime: number;
  /** Seconds between two readings when the newest was made; null where nothing was read. */
  readonly intervalSeconds: number | null;
  readonly cards: readonly CardHistory[];
  readonly marks: readonly HistoryMark[];
}
