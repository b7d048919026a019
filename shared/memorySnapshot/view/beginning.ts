import { packingOf } from '../packing';

/** So many bytes tell whether a file may be a snapshot. */
export const beginningBytes = 8;

/**
 * Whether a file that was dropped is to be read as a snapshot: a binary pickle, or packed, as no text begins. Pickles of
 * protocol 0 are texts themselves and are known by their name.
 */
export function mayBeSnapshot(name: string, start: Uint8Array): boolean {
  const isPickle = start[0] === 0x80 && (start[1] ?? 0) >= 2 && (start[1] ?? 0) <= 5;
  return isPickle || packingOf(start) !== 'none' || /\.(?:pickle|pkl)$/i.test(name);
}
