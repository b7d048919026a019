import { GiB, KiB, MiB, TiB } from '../../units';

/**
 * A size as the frameworks print it, most often with all whitespace removed: `2.00GiB`, `512bytes`, `56.000000MB`, `14.75G`.
 * All of them count in 1024, whatever the unit's spelling (research/oom.md, section 1).
 */
export const sizePattern = String.raw`\d{1,21}(?:\.\d{1,9})?\s?(?:bytes?|[KMGT]i?B|[KMGT]|B)`;

const unitBytes: Readonly<Record<string, number>> = { b: 1, k: KiB, m: MiB, g: GiB, t: TiB };

/** No card has an exbibyte. PyTorch prints 2^64 - 1 where NVML cannot say or where there is no limit. */
const EiB = 2 ** 60;

/** Bytes of a printed size, rounded as the text is; null where it is not a size or is the sentinel for "unknown". */
export function readSize(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z])/i.exec(text);
  if (match === null) return readInteger(text);
  const unit = unitBytes[(match[2] ?? '').toLowerCase()];
  if (unit === undefined) return null;
  return known(Math.round(Number(match[1]) * unit));
}

/** A plain count of bytes; null where it is not one or is the sentinel. */
export function readInteger(text: string): number | null {
  return /^\d+$/.test(text) ? known(Number(text)) : null;
}

function known(bytes: number): number | null {
  return bytes < EiB ? bytes : null;
}
