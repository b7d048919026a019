/** A ratio with two decimals below 10, so that a column of them lines up. */
export function ratioText(ratio: number, locale: string): string {
  const digits = ratio < 10 ? 2 : 0;
  return new Intl.NumberFormat(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(ratio);
}
