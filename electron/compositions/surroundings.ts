import type { Message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import { languageInUse } from '../desktop/language';
import type { LaunchFlags } from '../desktop/launchFlags';
import type { MainWindow } from '../desktop/mainWindow';
import type { Paths } from '../desktop/paths';
import { sendTo, type Send } from '../ipc/send';
import type { BoundsStore } from '../storage/boundsStore';
import type { Log } from '../storage/log';
import type { SettingsFileStore } from '../storage/settingsStore';

/** What main.ts has made already: all that the window needed. */
export interface Opening {
  readonly flags: LaunchFlags;
  readonly paths: Paths;
  readonly log: Log;
  readonly development: boolean;
  readonly settings: SettingsFileStore;
  readonly bounds: BoundsStore;
  readonly window: MainWindow;
  /** Without a window in sight: at login, or as the settings say. */
  readonly startsHidden: boolean;
}

/** What every composition is handed beside that. */
export interface Surroundings extends Opening {
  readonly locale: () => Locale;
  readonly words: (text: Message) => string;
  /** Sends an event to the page, if there is one. */
  readonly send: Send;
}

export function surroundingsOf(opening: Opening, systemLocale: Locale): Surroundings {
  const locale = (): Locale => languageInUse(opening.settings.settings(), systemLocale);
  return {
    ...opening,
    locale,
    words: (text) => translate(locale(), text),
    send: sendTo(() => opening.window.current()?.webContents ?? null),
  };
}

/** Seconds since the epoch. */
export function secondsNow(): number {
  return Date.now() / 1000;
}
