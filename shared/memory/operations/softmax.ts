import { FP32, HALF, type Tensor } from '../tape/tensor';
import { cast } from './elementwise';

/**
 * `softmax` over the last dimension: keeps its output; backward makes the result and a product beside it. In fp32 where that is
 * asked for (`dtype=torch.float32`) and in autocast, unless the input's own type is asked for (`given`); fp16 inputs are then widened by the kernel itself, bf16 ones are cast first.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/SoftMax.cpp
 */
export function softmax(x: Tensor, type: 'own' | 'fp32' | 'given' = 'own'): Tensor {
  const { tape, shape } = x;
  const widens = type === 'fp32' || (type === 'own' && tape.autocast);
  const kernelWidens = widens && x.elementBytes === HALF && tape.halfType === 'fp16';
  const input = widens && !kernelWidens ? cast(x, FP32) : x;
  const { elementBytes } = input;
  const outputBytes = kernelWidens ? FP32 : elementBytes;
  return tape.apply(
    [input],
    [],
    shape,
    outputBytes,
    () => {
      const result = tape.create(shape, elementBytes);
      tape.scratch((result.bytes / elementBytes) * outputBytes);
      return [result];
    },
    true,
  );
}
