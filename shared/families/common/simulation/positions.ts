/** Positions' indices and the mask that models make before their first layer, each under a name in the model's own call. */
import { hold } from '../../../memory/tape/tape';
import { INT64, type Tensor } from '../../../memory/tape/tensor';
import type { Forward } from '../../forward';
import { causalMask } from './masks';

/** Positions 0, 1, … as int64 [1, sequence], held: `arange`, to which what came before is added, and a dimension in front. */
export function positionIds({ tape, sequence }: Forward): Tensor {
  const range = tape.create([sequence], INT64);
  const positions = hold(tape.create([1, sequence], INT64));
  tape.release(range);
  return positions;
}

/** A causal mask (see `causalMask`), held; null where a kernel knows causality by itself. */
export function heldMask(forward: Forward, eager: boolean): Tensor | null {
  const mask = causalMask(forward, eager);
  return mask === null ? null : hold(mask);
}
