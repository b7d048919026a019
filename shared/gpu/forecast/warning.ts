/** When a forecast is worth an alert: what the forecast, the rule of the app, the replay of a recording and the window share. */

/** Less time left than this is worth an alert. */
export const alertSeconds = 120;

/** Nor is a rise foreseen further ahead than this many times what was seen of it: one flank of a saw-tooth looks like a leak for a while. */
export const evidenceFactor = 1.5;

/** An alert is raised when every look for this long has said `willFill`: one look may see a moment that passes. */
export const sureSeconds = 2;
