/**
 * Formatters, each made once: to make one costs as much as a hundred uses, and a window with eight cards writes some
 * hundred numbers a second.
 */

const numbers = new Map<string, Intl.NumberFormat>();
const dates = new Map<string, Intl.DateTimeFormat>();

/** The formatter for numbers of a BCP 47 locale with these options. */
export function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return kept(numbers, locale, options, () => new Intl.NumberFormat(locale, options));
}

/** The formatter for moments of a BCP 47 locale with these options. */
export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return kept(dates, locale, options, () => new Intl.DateTimeFormat(locale, options));
}

function kept<Format>(
  made: Map<string, Format>,
  locale: string,
  options: object,
  make: () => Format,
): Format {
  const key = `${locale} ${JSON.stringify(options)}`;
  const found = made.get(key);
  if (found !== undefined) return found;
  const format = make();
  made.set(key, format);
  return format;
}
