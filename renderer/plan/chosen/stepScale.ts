import type { CardEstimate } from '../../../shared/memory/estimate';
import { GiB, MiB } from '../../../shared/units';

/** A card this many times larger than the process would press the step flat; then only its size is told. */
const farAbove = 2.5;
const room = 1.1;

/** The top of a step's chart in bytes: the card's end where it is near, else a little above all that is drawn. */
export function stepTop({
  cardBytes,
  processBytes,
}: Pick<CardEstimate, 'cardBytes' | 'processBytes'>): number {
  const isNear = cardBytes !== null && cardBytes <= processBytes * farAbove;
  return Math.max(1, processBytes, isNear ? cardBytes : 0) * room;
}

/** Values for the axis between 0 and the top: about five, round in GiB or MiB. */
export function byteTicks(topBytes: number): readonly number[] {
  const unit = topBytes >= GiB ? GiB : MiB;
  const rough = topBytes / unit / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough) ?? 10;
  const step = factor * power * unit;
  return Array.from({ length: Math.floor(topBytes / step) + 1 }, (_, index) => index * step);
}
