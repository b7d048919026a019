import type { Tape } from '../../tape/tape';
import { elements, FP32, type Parameter } from '../../tape/tensor';
import { OptimizerState, withGradient } from './state';

/** Elements below which a tensor's moments stay in fp32 (`min_8bit_size`). */
const smallestQuantised = 4096;
/** Elements that share a scale in fp32. */
const scaleBlock = 256;
/** Elements from which a paged optimizer's moments lie in unified memory. */
const smallestPaged = 1e5;
/** Values of a quantisation map, of which there is one for each moment. */
const mapValues = 256;
const moments = 2;

/** Bytes of the moments of one tensor: of each itself, and of the scales beside it. */
interface Moment {
  readonly bytes: number;
  readonly scales: number;
  readonly isPaged: boolean;
}

function momentOf(count: number, paged: boolean): Moment {
  const isQuantised = count >= smallestQuantised;
  return {
    bytes: isQuantised ? count : count * FP32,
    scales: isQuantised ? Math.ceil(count / scaleBlock) * FP32 : 0,
    isPaged: paged && count >= smallestPaged,
  };
}

/**
 * bitsandbytes' AdamW with moments of one byte whatever the weight's type is, each with scales for blocks of elements. `paged`: the
 * moments of large tensors, but not their scales, lie in unified memory, outside of PyTorch's allocator: see `pagedBytes`. No tensor is
 * excepted, as none is by bitsandbytes alone.
 * https://github.com/bitsandbytes-foundation/bitsandbytes/blob/0.50.1/bitsandbytes/optim/optimizer.py
 */
export function eightBitAdamW(tape: Tape, parameters: readonly Parameter[], paged: boolean): () => void {
  const state = new OptimizerState(tape);
  let hasMaps = false;
  return () => {
    for (const parameter of withGradient(parameters))
      state.once(parameter, () => {
        const { bytes, isPaged, scales } = momentOf(elements(parameter.shape), paged);
        if (scales > 0 && !hasMaps) {
          hasMaps = true;
          for (let moment = 0; moment < moments; moment++) state.keep([mapValues], FP32);
        }
        if (!isPaged) for (let moment = 0; moment < moments; moment++) state.keep([bytes], 1);
        if (scales > 0) for (let moment = 0; moment < moments; moment++) state.keep([scales], 1);
      });
  };
}

/** Bytes of a tensor's state, wherever they lie. */
export function eightBitBytes(count: number): number {
  const { bytes, scales } = momentOf(count, false);
  return moments * (bytes + scales);
}

/**
 * Bytes of a tensor's state that a paged optimizer has in unified memory (`cudaMallocManaged`). The driver brings them to the card when the
 * optimizer needs them, leaves them there while there is room, and moves them to the machine's memory when there is none.
 * https://github.com/bitsandbytes-foundation/bitsandbytes/blob/0.50.1/docs/source/explanations/optimizers.mdx
 */
export function pagedBytes(count: number): number {
  const { bytes, isPaged } = momentOf(count, true);
  return isPaged ? moments * bytes : 0;
}

/** Bytes that a tensor's moments take more in fp32 than in 8 bits. */
export const savedBytes = (count: number): number => moments * FP32 * count - eightBitBytes(count);
