import type { DesktopState } from '../../shared/contract/desktopState';
import type { AlertWatch } from '../alerts/alertWatch';
import type { Handlers } from './answer';

export type AlertCalls = 'alerts.read' | 'alerts.snooze' | 'desktop.read';

export interface AlertServices {
  readonly watch: Pick<AlertWatch, 'state' | 'snooze'>;
  readonly desktopState: () => DesktopState;
}

export function alertHandlers({ watch, desktopState }: AlertServices): Pick<Handlers, AlertCalls> {
  return {
    'alerts.read': () => watch.state(),
    'alerts.snooze': ({ id, seconds }) => watch.snooze(id, seconds),
    'desktop.read': () => desktopState(),
  };
}
