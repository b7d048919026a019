import { formatBytesIn, type ByteUnit } from '../../../shared/units';

/** A ratio with two decimals below 10, so that a column of them lines up. */
export function ratioText(ratio: number, locale: string): string {
  const digits = ratio < 10 ? 2 : 0;
  return new Intl.NumberFormat(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(ratio);
}

/** A difference with its sign in a column's unit; without one where it would read as nothing. */
export function differenceText(bytes: number, unit: ByteUnit, locale: string): string {
  const size = formatBytesIn(Math.abs(bytes), unit, locale);
  if (bytes === 0 || size.startsWith('<')) return size;
  return `${bytes > 0 ? '+' : '−'}${size}`;
}
