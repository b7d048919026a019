/**
 * The outlook of one card (`pid` null), or of one process on it: what grows there adds up, so all that grow towards the card's end
 * share its time left. Rates are bytes a second, times seconds.
 */
export interface Forecast {
  readonly gpuIndex: number;
  readonly pid: number | null;
  readonly state: 'steady' | 'growing' | 'spiky' | 'unknown';
  readonly slopeBytesPerSecond: number | null;
  readonly etaSeconds: number | null;
  readonly risingForSeconds: number | null;
  /** Whether the rise is soon or long and even enough for an alert. */
  readonly willFill: boolean;
  /** Whether the rise may be weights on their way to the card, which stops by itself. */
  readonly mayBeLoading: boolean;
  /** Between these the end lies by all that was seen; null where none is foretold. */
  readonly etaRangeSeconds: readonly [number, number] | null;
  /** The processes whose growth adds up to that end; empty where only memory grows that no listed process holds. */
  readonly growingPids: readonly number[];
  /** The alert about a card, as long as it stands; null of a process. */
  readonly announced: {
    readonly at: number;
    /** The time that was left then. */
    readonly etaSeconds: number;
    /** 1, and one more each time that the same growth is announced again. */
    readonly number: number;
    /** The processes that grew then; empty where only memory did that no listed process holds. */
    readonly pids: readonly number[];
  } | null;
}
