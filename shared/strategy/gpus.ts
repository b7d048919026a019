/** Reads `--gpus`: `2x24GiB`, `2x24` (GiB), `24576,24576` (MiB), or a mix of them. */
import { GiB, MiB, parseBytes } from '../units';
import type { PlanCard } from './types';

/** More cards than any machine has are a slip of the finger. */
const mostCards = 1024;

/** A number without a unit is GiB below this, MiB from it on: no card has 512 GiB, nor so few MiB. */
const firstBareMib = 512;

/** Cards that nobody uses, in the order given; null where the text names none. */
export function readGpus(text: string): readonly PlanCard[] | null {
  const sizes: number[] = [];
  for (const part of text.normalize('NFKC').split(/[,;+、]/)) {
    const match = /^(?:(\d{1,4})\s*[x×*]\s*)?(\d+(?:\.\d+)?)(?:\s*([a-z]+))?$/i.exec(part.trim());
    if (match === null) return null;
    const [, count = '1', size = '', unit = ''] = match;
    const bare = Number(size) < firstBareMib ? GiB : MiB;
    const bytes = unit === '' ? Math.round(Number(size) * bare) : parseBytes(`${size} ${unit}`);
    if (bytes === null || bytes < MiB || Number(count) < 1 || sizes.length + Number(count) > mostCards)
      return null;
    for (let card = 0; card < Number(count); card++) sizes.push(bytes);
  }
  return sizes.length === 0
    ? null
    : sizes.map((bytes, index) => ({ index, totalBytes: bytes, freeBytes: bytes }));
}
