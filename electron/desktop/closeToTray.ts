import { message, type Message } from '../../shared/i18n/message';
import type { SettingsFileStore } from '../storage/settingsStore';
import type { Dialogs } from './ports/dialogs';

export interface CloseToTrayOptions {
  readonly settings: SettingsFileStore;
  readonly dialogs: Dialogs;
  readonly words: (text: Message) => string;
  readonly tray: {
    /** Whether a hidden window can be brought back from a tray; null until that is known. */
    readonly canHide: () => boolean | null;
    /** Resolves when it is known. */
    readonly start: () => Promise<void>;
  };
  readonly hide: () => void;
  readonly quit: () => void;
}

/**
 * What closing the window does: it ends the app, or leaves it in the tray where a person wants that and there is one.
 * The first time this is explained, and can be changed on the spot.
 */
export class CloseToTray {
  private quitting = false;
  private asking = false;

  constructor(private readonly options: CloseToTrayOptions) {}

  /** From now on windows close, because the app as a whole ends. */
  quitBegins(): void {
    this.quitting = true;
  }

  /** Whether the window may close; where not, it is hidden instead. */
  mayClose(): boolean {
    const { settings, tray } = this.options;
    if (this.quitting || settings.settings().closeBehaviour !== 'tray') return true;
    const canHide = tray.canHide();
    if (canHide === false) return true;
    if (!this.asking) void (canHide === null ? this.hideOnceKnown() : this.hide());
    return false;
  }

  /** The tray comes a moment after the window: who closes before that gets the same. */
  private async hideOnceKnown(): Promise<void> {
    const { tray, quit } = this.options;
    this.asking = true;
    await tray.start().finally(() => (this.asking = false));
    if (tray.canHide() === true) await this.hide();
    else quit();
  }

  private async hide(): Promise<void> {
    const { settings, hide, quit } = this.options;
    if (!settings.settings().closeToTrayExplained) {
      this.asking = true;
      const answer = await this.explain().finally(() => (this.asking = false));
      settings.change({ closeToTrayExplained: true });
      if (answer === 'quit') {
        settings.change({ closeBehaviour: 'quit' });
        quit();
        return;
      }
    }
    hide();
  }

  private explain(): Promise<string> {
    const { dialogs, words } = this.options;
    return dialogs.ask({
      id: 'close-to-tray',
      severity: 'info',
      title: words(message('tray.closeTitle')),
      text: words(message('tray.closeText')),
      detail: words(message('tray.closeDetail')),
      buttons: [
        { id: 'keep', label: words(message('tray.closeKeep')) },
        { id: 'quit', label: words(message('tray.closeQuit')) },
      ],
      safeButtonId: 'keep',
    });
  }
}
