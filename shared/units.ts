/** Sizes, durations and shares: parsing and formatting in one place, so that a number looks the same everywhere. */

import { numberFormat } from './formats';

export const KiB = 1024;
export const MiB = 1024 * KiB;
export const GiB = 1024 * MiB;
export const TiB = 1024 * GiB;

interface NumberWriter {
  format(value: number): string;
}

function digits(locale: string, fractionDigits: number): NumberWriter {
  return { format: (value) => fixed(value, locale, fractionDigits) };
}

/**
 * A number with so many decimals, as `Intl.NumberFormat` writes it: its shortest decimal form, rounded half away from
 * zero. Below a thousand nothing is grouped, and to make a formatter takes 30 ms at a start.
 */
function fixed(value: number, locale: string, fractionDigits: number): string {
  const size = Math.abs(value);
  const scaled = decimalPoint.has(locale) && size < 999 ? Number(`${size}e${fractionDigits}`) : NaN;
  if (Number.isNaN(scaled)) {
    const options = { minimumFractionDigits: fractionDigits, maximumFractionDigits: fractionDigits };
    return numberFormat(locale, options).format(value);
  }
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return `${sign}${(Math.round(scaled) / 10 ** fractionDigits).toFixed(fractionDigits)}`;
}

const decimalPoint: ReadonlySet<string> = new Set(['en', 'zh-CN']);

/** A plain number, grouped as the locale does, with at most two decimals where it has any. */
export function formatNumber(value: number, locale: string): string {
  return digits(locale, Number.isInteger(value) ? 0 : Math.abs(value) < 10 ? 2 : 1).format(value);
}

/** A large count as people say it, to three digits: `13B`, `41.9M`, `130 亿`. */
export function formatShort(value: number, locale: string): string {
  const text = numberFormat(locale, {
    notation: 'compact',
    maximumSignificantDigits: 3,
  }).format(value);
  return spaced(text);
}

/** A space between a number and Chinese, as everywhere. */
const spaced = (text: string): string => text.replace(/(\d)(\p{Script=Han})/u, '$1 $2');

/** GiB with one decimal from 1 GiB up, whole MiB below, bytes below 1 MiB: `23.1 GiB`, `410 MiB`, `512 B`. */
export function formatBytes(bytes: number, locale: string): string {
  const size = Math.abs(bytes);
  if (size >= GiB) return `${digits(locale, 1).format(bytes / GiB)} GiB`;
  if (size >= MiB || size === 0) return `${digits(locale, 0).format(bytes / MiB)} MiB`;
  if (size >= KiB) return `${digits(locale, 0).format(bytes / KiB)} KiB`;
  return `${digits(locale, 0).format(bytes)} B`;
}

export type ByteUnit = 'GiB' | 'MiB';

/** The one unit for a column of sizes: GiB where any of them reaches 1 GiB, MiB otherwise. Unknown values are ignored. */
export function columnUnit(sizes: readonly (number | null)[]): ByteUnit {
  return sizes.some((bytes) => bytes !== null && Math.abs(bytes) >= GiB) ? 'GiB' : 'MiB';
}

/**
 * A size as a number of the given unit, without the unit's name: one decimal for GiB, none for MiB. What is there but
 * would round to nothing reads `<0.1` (or `<1`), so that little never looks like none.
 */
export function formatBytesIn(bytes: number, unit: ByteUnit, locale: string): string {
  const [size, fractionDigits, least] = unit === 'GiB' ? ([GiB, 1, 0.1] as const) : ([MiB, 0, 1] as const);
  const format = digits(locale, fractionDigits);
  const value = bytes / size;
  return value > 0 && value < least / 2 ? `<${format.format(least)}` : format.format(value);
}

/** A share 0..100 without decimals: `98 %`. */
export function formatPercent(percent: number, locale: string): string {
  return `${digits(locale, 0).format(percent)} %`;
}

const durationUnits = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A duration in its largest sensible unit, rounded: `40 sec`, `6 min`, `2 hr`, in the locale's short form. */
export function formatDuration(seconds: number, locale: string): string {
  const [unit, length] = durationUnit(seconds);
  return durationText(seconds / length, unit, locale);
}

/** A span of time as `4`, `9 min`; where the shorter end has a smaller unit of its own, as `40 sec`, `3 min`. */
export function formatDurations(from: number, to: number, locale: string): readonly [string, string] {
  const [unit, length] = durationUnit(to);
  const most = durationText(to / length, unit, locale);
  const least = durationText(from / length, unit, locale);
  if (least === most) return [most, most];
  if (durationUnit(from)[0] !== unit) return [formatDuration(from, locale), most];
  return [numberFormat(locale, { maximumFractionDigits: 0 }).format(from / length), most];
}

function durationUnit(seconds: number): (typeof durationUnits)[number] | readonly ['second', 1] {
  const size = Math.abs(seconds);
  return durationUnits.find(([, unitSeconds]) => size >= unitSeconds * 1.5) ?? (['second', 1] as const);
}

function durationText(count: number, unit: string, locale: string): string {
  return spaced(
    numberFormat(locale, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 0 }).format(
      count,
    ),
  );
}

const byteUnits: Readonly<Record<string, number>> = {
  b: 1,
  byte: 1,
  bytes: 1,
  k: KiB,
  kb: KiB,
  kib: KiB,
  m: MiB,
  mb: MiB,
  mib: MiB,
  g: GiB,
  gb: GiB,
  gib: GiB,
  t: TiB,
  tb: TiB,
  tib: TiB,
};

/**
 * Bytes of a printed size such as `2.00 GiB`, `23028 MiB`, `512 bytes` or `24GB` (1024-based, as CUDA tools print);
 * null where the text is not a size.
 */
export function parseBytes(text: string): number | null {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(text);
  if (match === null) return null;
  const unit = byteUnits[(match[2] ?? '').toLowerCase()];
  return unit === undefined ? null : Math.round(Number(match[1]) * unit);
}
