/** Branches that are left out at random, sample by sample, as vision models train. */
import { hold, release } from '../tape/tape';
import type { Tensor } from '../tape/tensor';
import { multiply, scale } from './elementwise';

/**
 * `DropPath`: the branch is divided by what is kept and multiplied by a number for each sample, 0 or 1. With probability 0 the
 * module returns its input.
 */
export function dropPath(x: Tensor, probability: number): Tensor {
  if (probability === 0) return x;
  const { tape, shape, elementBytes } = x;
  const [batch = 1] = shape;
  const perSample = [batch, ...shape.slice(1).map(() => 1)];
  return tape.frame([x], () => {
    const random = tape.create(perSample, elementBytes);
    const shifted = tape.create(perSample, elementBytes);
    const keeps = hold(tape.create(perSample, elementBytes));
    for (const used of [shifted, random]) release(used);
    return multiply(scale(x), keeps);
  });
}

/** Probability of layer number `index` of `count`: rising from 0 to the rate that the config names. */
export const dropPathOf = (rate: number, index: number, count: number): number =>
  (rate * index) / Math.max(1, count - 1);
