import type { AlertRecord } from '../alerts/watch';
import type { SuspectedOomExit } from '../doctor/suspectedOomExit';

/** The longest id of an alert; it names a rule, a kind, and the jobs that it is about. */
export const alertIdLength = 1_000;

/** The id under which everything is snoozed. */
export const everyAlert = '*';

/** How long a press of Snooze lasts, in the window and in the tray. */
export const snoozeSeconds = 3600;

/** What is known of alerts beside those that stand, for the window and the tray. */
export interface AlertsState {
  /** The newest first, those that still stand included. */
  readonly history: readonly AlertRecord[];
  /** Seconds since the epoch up to which nothing is announced, by alert id; `*`: any. */
  readonly snoozedUntil: Readonly<Record<string, number>>;
  /** Processes that ended on a full card since the app started, the newest last: the doctor tells of them. */
  readonly oomExits: readonly SuspectedOomExit[];
}
