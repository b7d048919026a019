import { everyAlert, snoozeSeconds } from '../../shared/contract/alertsState';
import type { DesktopState } from '../../shared/contract/desktopState';
import type { Destination } from '../../shared/alerts/places';
import type { Message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import type { AlertWatch } from '../alerts/alertWatch';
import { announce } from '../alerts/announce';
import type { SettingsFileStore } from '../storage/settingsStore';
import type { DesktopPorts } from './ports/openDesktopPorts';
import { TrayRenderer } from './tray/trayRenderer';
import { TrayPresence } from './tray/presence';
import { trayView, type TrayAction } from './tray/trayView';

export interface DesktopIntegrationOptions {
  readonly watch: AlertWatch;
  readonly settings: SettingsFileStore;
  readonly ports: DesktopPorts;
  readonly locale: () => Locale;
  readonly platform: NodeJS.Platform;
  readonly canStartAtLogin: boolean;
  readonly isWatching: () => boolean;
  readonly showWindow: () => void;
  readonly go: (destination: Destination) => void;
  readonly quit: () => void;
  readonly onDesktop: (state: DesktopState) => void;
}

/** Everything the app shows outside of its window. */
export interface DesktopIntegration {
  desktopState(): DesktopState;
  readonly presence: TrayPresence;
  dispose(): void;
}

/** The usual size of icons in the tray (https://learn.microsoft.com/windows/apps/design/style/iconography/app-icon-construction). */
const iconSizes: Readonly<Partial<Record<NodeJS.Platform, number>>> = { win32: 16 };
const linuxIconSize = 22;

/** Joins alerts, notifications and tray: what is raised is announced, and the tray follows every Snapshot. */
export function openDesktopIntegration(options: DesktopIntegrationOptions): DesktopIntegration {
  const { watch, settings, ports } = options;
  const words = (text: Message): string => translate(options.locale(), text);
  const open = (destination: Destination): void => {
    options.showWindow();
    options.go(destination);
  };
  const renderer = new TrayRenderer({
    open: ports.openTray,
    iconSize: iconSizes[options.platform] ?? linuxIconSize,
    words,
    act: (action) => act(action, options, open),
  });
  const presence = new TrayPresence({
    settings,
    renderer,
    findHost: ports.findTrayHost,
    notifications: ports.notifications,
    words,
    onHost: () => options.onDesktop(desktopState()),
    openSettings: () => open({ place: 'settings', gpuIndex: null, jobId: null }),
  });
  const desktopState = (): DesktopState => ({
    trayHost: presence.trayHost(),
    notifications: ports.notifications.isSupported(),
    startAtLogin: options.canStartAtLogin,
  });
  const update = (): void =>
    renderer.update(
      trayView({
        snapshot: watch.latest(),
        snoozedUntil: watch.state().snoozedUntil[everyAlert] ?? null,
        clock: (time) => clockText(time, options.locale()),
        locale: options.locale(),
      }),
    );
  const stops = [
    watch.subscribe(update),
    watch.onChange(update),
    settings.onChange(update),
    watch.onRaised((raised, snapshot) =>
      announce(raised, snapshot, {
        notifications: ports.notifications,
        words,
        isWatching: options.isWatching,
        open,
      }),
    ),
  ];
  update();
  return {
    desktopState,
    presence,
    dispose: () => {
      for (const stop of stops) stop();
      presence.dispose();
    },
  };
}

function act(
  action: TrayAction,
  options: DesktopIntegrationOptions,
  open: (destination: Destination) => void,
): void {
  switch (action.kind) {
    case 'show':
      return options.showWindow();
    case 'go':
      return open(action.destination);
    case 'snooze':
      options.watch.snooze(everyAlert, snoozeSeconds);
      return;
    case 'wake':
      options.watch.snooze(everyAlert, 0);
      return;
    case 'quit':
      return options.quit();
  }
}

function clockText(time: number, locale: Locale): string {
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short', hourCycle: 'h23' }).format(time * 1000);
}
