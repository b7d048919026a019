import { alertDestination } from '../../shared/alerts/destination';
import { ruleTitle } from '../../shared/alerts/rules';
import { byUrgency } from '../../shared/alerts/severity';
import type { Destination } from '../../shared/alerts/places';
import type { Alert, Snapshot } from '../../shared/alerts/snapshot';
import { message, type Message } from '../../shared/i18n/message';
import type { Notifications } from '../desktop/ports/notifications';

export interface AlertNotification {
  readonly notifications: Notifications;
  readonly words: (text: Message) => string;
  /** Whether the person looks at the window, which shows the alert itself. */
  readonly isWatching: () => boolean;
  readonly open: (destination: Destination) => void;
}

/** A machine with many cards can raise many at once: the most urgent are told, the others counted. */
const mostAtOnce = 3;

/** Shows what was just raised as notifications; a click leads to what it is about. */
export function announce(
  raised: readonly Alert[],
  snapshot: Snapshot,
  { notifications, words, isWatching, open }: AlertNotification,
): void {
  if (isWatching()) return;
  const simulated = snapshot.source.kind === 'simulated';
  const titleOf = (title: Message): string =>
    simulated ? words(message('alerts.simulatedTitle', { title: words(title) })) : words(title);
  const ordered = raised.toSorted(byUrgency);
  const told = ordered.length > mostAtOnce ? ordered.slice(0, mostAtOnce - 1) : ordered;
  for (const alert of told)
    notifications.show({
      id: alert.id,
      title: titleOf(ruleTitle(alert.rule)),
      body: words(alert.text),
      critical: alert.severity === 'critical',
      onClick: () => open(alertDestination(alert)),
    });
  const count = ordered.length - told.length;
  if (count === 0) return;
  notifications.show({
    id: 'more',
    title: titleOf(message('alerts.moreTitle', { count })),
    body: words(message('alerts.moreBody')),
    critical: false,
    onClick: () => open({ place: 'workstation', gpuIndex: null, jobId: null }),
  });
}
