/** A moment at which the cards were read, and the pace of readings then. */
export interface ReadingTime {
  /** Seconds on the Snapshots' own clock. */
  readonly time: number;
  /** Seconds between two readings, as the Snapshot of that reading says. */
  readonly intervalSeconds: number;
}

/** A tick that a busy machine drops, or two, is no silence. */
const intervalsMissed = 3;
/** What a restart of nvidia-smi takes when the interval changes, and the jitter of short intervals. */
const slackSeconds = 2;

/**
 * How far two readings at one pace may lie apart and still be joined by a line: 5 s at one reading a second, 182 s at one a
 * minute. Charts, the history and the alerts all go by this.
 */
export function longestPauseSeconds(intervalSeconds: number): number {
  return intervalsMissed * intervalSeconds + slackSeconds;
}

/**
 * Whether readings stopped between two successive ones, so that nothing is known of the time between. Where the pace changed
 * (a window that shows itself again is served faster), the slower one counts.
 */
export function isGap(earlier: ReadingTime, later: ReadingTime): boolean {
  const slower = Math.max(earlier.intervalSeconds, later.intervalSeconds);
  return later.time - earlier.time > longestPauseSeconds(slower);
}

/** Whether a reading is older than its successor should be: the age is worth telling. */
export function isOverdue(ageSeconds: number, intervalSeconds: number): boolean {
  return ageSeconds > intervalSeconds + slackSeconds;
}
