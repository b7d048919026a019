import type { TrayHost } from '../../../shared/contract/desktopState';
import { message, type Message } from '../../../shared/i18n/message';
import type { SettingsFileStore } from '../../storage/settingsStore';
import type { Notifications } from '../ports/notifications';
import type { TrayRenderer } from './trayRenderer';

export interface PresenceOptions {
  readonly settings: SettingsFileStore;
  readonly renderer: TrayRenderer;
  readonly findHost: () => Promise<TrayHost>;
  readonly notifications: Notifications;
  readonly words: (text: Message) => string;
  /** Called whenever it becomes known, or changes, whether there is a tray. */
  readonly onHost: (host: TrayHost) => void;
  readonly openSettings: () => void;
}

/** At login the app may be there before the tray is: it is asked again after these times. */
const askAgainMs = [3000, 10_000, 30_000];

/**
 * The icon in the tray as the settings want it, and whether the desktop shows it. Where it shows none this is said
 * once; the icon is kept all the same, in case a tray comes later.
 */
export class TrayPresence {
  private host: TrayHost = 'unknown';
  private timer: NodeJS.Timeout | null = null;
  private started: Promise<void> | null = null;
  private isKnown = false;

  constructor(private readonly options: PresenceOptions) {
    options.settings.onChange((state, before) => {
      if (state.settings.trayEnabled !== before.trayEnabled) this.apply(state.settings.trayEnabled);
    });
  }

  /** Puts up the icon and asks who shows it, once; resolves with the first answer. */
  start(): Promise<void> {
    this.started ??= this.begin();
    return this.started;
  }

  /** What the desktop answered last. */
  trayHost(): TrayHost {
    return this.host;
  }

  /** Whether a window that is hidden can be brought back from the tray; null before the first answer. */
  canHide(): boolean | null {
    return this.isKnown ? this.options.renderer.isShown() && this.host === 'present' : null;
  }

  dispose(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.options.renderer.switchOff();
  }

  private async begin(): Promise<void> {
    this.apply(this.options.settings.settings().trayEnabled);
    await this.ask(0);
    this.isKnown = true;
  }

  private apply(enabled: boolean): void {
    if (enabled) this.options.renderer.switchOn();
    else this.options.renderer.switchOff();
  }

  private async ask(attempt: number): Promise<void> {
    const host = await this.options.findHost();
    if (host !== this.host || attempt === 0) {
      this.host = host;
      this.options.onHost(host);
    }
    const pauseMs = askAgainMs[attempt];
    if (host === 'present') return;
    if (pauseMs === undefined) this.explain();
    else this.timer = setTimeout(() => void this.ask(attempt + 1), pauseMs);
  }

  /** Said when nobody came to show it, once in the life of the settings. */
  private explain(): void {
    const { settings, notifications, words, openSettings } = this.options;
    const { trayEnabled, noTrayExplained } = settings.settings();
    if (this.host !== 'absent' || !trayEnabled || noTrayExplained) return;
    settings.change({ noTrayExplained: true });
    notifications.show({
      id: 'no-tray',
      title: words(message('tray.noHostTitle')),
      body: words(message('tray.noHostText')),
      critical: false,
      onClick: openSettings,
    });
  }
}
