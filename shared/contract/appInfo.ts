import type { Locale } from '../i18n/translate';

/** What the window needs to know of the app once. */
export interface AppInfo {
  readonly name: string;
  readonly version: string;
  readonly electronVersion: string;
  readonly chromeVersion: string;
  readonly nodeVersion: string;
  readonly platform: 'linux' | 'win32' | 'darwin' | 'other';
  /** The language of the system, to be used where the settings say `system`. */
  readonly systemLocale: Locale;
  /** The page runs inside Chromium's sandbox; false only in development, where it was switched off by hand. */
  readonly sandboxed: boolean;
}
