import type { Settings } from '../../shared/contract/settings';
import { nearestLocale, type Locale } from '../../shared/i18n/translate';

/** The nearest language we speak to the first one that the system prefers. */
export function systemLanguage(preferred: readonly string[]): Locale {
  return nearestLocale(preferred[0] ?? null);
}

/** The language in use. */
export function languageInUse(settings: Settings, system: Locale): Locale {
  return settings.language === 'system' ? system : settings.language;
}
