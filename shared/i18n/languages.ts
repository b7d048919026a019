import { catalogue as english } from './en';
import type { MatchingCatalogue } from './matching';
import { catalogue as chinese } from './zh-CN';

interface Language {
  /** What the language calls itself, in the settings. */
  readonly name: string;
  readonly catalogue: MatchingCatalogue;
}

/**
 * The languages, by BCP 47 tag, English as the source of all first. A new one is a folder with its catalogue and a row here;
 * the compiler compares the catalogues.
 */
export const languages = {
  en: { name: 'English', catalogue: english },
  'zh-CN': { name: '简体中文', catalogue: chinese },
} as const satisfies Readonly<Record<string, Language>>;

export type Locale = keyof typeof languages;

function isLocale(tag: string): tag is Locale {
  return Object.hasOwn(languages, tag);
}

/** The tags, in the order of the languages. */
export const locales: readonly Locale[] = Object.keys(languages).filter(isLocale);
