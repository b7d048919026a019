import {
  formatBytes,
  formatDuration,
  formatDurations,
  formatNumber,
  formatPercent,
  formatShort,
} from '../units';
import { languages, locales, type Locale } from './languages';
import { isMessage, message, type Entry, type Message, type MessageKey, type MessageValue } from './message';
import { pluralText } from './plural';

export { locales, type Locale } from './languages';

function entryOf(locale: Locale, area: string, name: string): Entry | undefined {
  const { catalogue }: { readonly catalogue: Readonly<Record<string, Readonly<Record<string, Entry>>>> } =
    languages[locale];
  return Object.hasOwn(catalogue, area) ? catalogue[area]?.[name] : undefined;
}

/** Whether the catalogue has an entry of that key: one from a file may be of another version. */
export function isMessageKey(key: unknown): key is MessageKey {
  if (typeof key !== 'string') return false;
  const [area = '', name = ''] = key.split('.', 2);
  return entryOf('en', area, name) !== undefined;
}

/** The nearest locale we speak for a tag such as `zh-Hans-CN` or `en_US.UTF-8`, by its language alone; English otherwise. */
export function nearestLocale(tag: string | null): Locale {
  const language = languageOf(tag ?? '');
  return locales.find((locale) => languageOf(locale) === language) ?? 'en';
}

function languageOf(tag: string): string {
  return /^[a-z]*/i.exec(tag)?.[0].toLowerCase() ?? '';
}

/**
 * The words of a message. Formats in a placeholder: `bytes` (GiB, MiB), `percent`, `number`, `duration` (seconds),
 * `short` (13B). `{from~to:duration}` is a span between two values.
 * An unknown (null) value reads as the catalogue's word for unknown.
 */
export function translate(locale: Locale, text: Message): string {
  const [area = '', name = ''] = text.key.split('.', 2);
  const entry = entryOf(locale, area, name);
  if (entry === undefined) return text.key;
  return template(locale, entry, text.values).replace(
    /\{(\w+)(?:~(\w+))?(?::(\w+))?\}/g,
    (_all, key: string, to?: string, format?: string) =>
      to === undefined
        ? formatValue(locale, text.values[key] ?? null, format)
        : formatSpan(locale, text.values[key] ?? null, text.values[to] ?? null),
  );
}

function template(locale: Locale, entry: Entry, values: Message['values']): string {
  if (typeof entry === 'string') return entry;
  return pluralText(entry, locale, Number(values['count'] ?? 0));
}

/** `4 to 9 min`: both ends in the unit of the longer one, where the shorter one is not too small for it. */
function formatSpan(locale: Locale, from: MessageValue, to: MessageValue): string {
  if (typeof from !== 'number' || typeof to !== 'number') return formatValue(locale, to, 'duration');
  const [least, most] = formatDurations(from, to, locale);
  return least === most ? most : translate(locale, message('common.span', { from: least, to: most }));
}

function formatValue(locale: Locale, value: MessageValue, format: string | undefined): string {
  if (value === null) return languages[locale].catalogue.common.unknown;
  if (typeof value === 'string') return value;
  switch (format) {
    case 'bytes':
      return formatBytes(value, locale);
    case 'percent':
      return formatPercent(value, locale);
    case 'short':
      return formatShort(value, locale);
    case 'duration':
      return formatDuration(value, locale);
    default:
      return formatNumber(value, locale);
  }
}

/**
 * An answer of the domain with every Message in it turned into words, for the command's JSON. Parts without one are the
 * same values, not copies: of a Snapshot a second that is nearly all.
 */
export function localize(locale: Locale, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isMessage(value)) return translate(locale, value);
  if (!Array.isArray(value)) return localizeParts(locale, value);
  const items: readonly unknown[] = value;
  const told = items.map((item) => localize(locale, item));
  return told.some((item, at) => item !== items[at]) ? told : items;
}

function localizeParts<Whole extends object>(locale: Locale, whole: Whole): unknown {
  const changed: [string, unknown][] = [];
  for (const key in whole) {
    const told = localize(locale, whole[key]);
    if (told !== whole[key]) changed.push([key, told]);
  }
  return changed.length === 0 ? whole : { ...whole, ...Object.fromEntries(changed) };
}
