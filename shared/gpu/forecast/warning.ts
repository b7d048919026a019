/** When a forecast is worth an alert: what the forecast, the rule of the app, the replay of a recording and the window share. */

/** Less time left than this is worth an alert. */
export const alertSeconds = 120;

/**
 * A rise is not foreseen further ahead than this many times what was seen of it: one flank of a saw-tooth looks like a leak for a while,
 * and growth that dies away looks even for about two thirds of its time constant, when twice that still lies ahead of it.
 */
export const evidenceFactor = 1.5;

/** Where the end may lie within a factor of this of itself, its time is said as one; else as a span. */
const oneTimeFactor = 1.7;

/** Whether a time that lies between these (seconds) is said as one. */
export function isOneTime([least, most]: readonly [number, number]): boolean {
  return most <= oneTimeFactor * least;
}

/** An alert is raised when every look for this long has said `willFill`: one look may see a moment that passes. */
export const sureSeconds = 2;
