import type { Tensor } from '../tape/tensor';
import { FP32 } from '../tape/tensor';
import { cast } from './elementwise';

/** `softmax` over the last dimension: keeps its output; backward makes the result and a product beside it. Fp32 in autocast. */
export function softmax(x: Tensor): Tensor {
  const input = x.tape.autocast ? cast(x, FP32) : x;
  const { tape, shape, elementBytes } = input;
  return tape.apply(
    [input],
    [],
    shape,
    elementBytes,
    () => {
      const result = tape.create(shape, elementBytes);
      tape.scratch(result.bytes);
      return [result];
    },
    true,
  );
}
