/** The optimizers that keep less than AdamW, or keep it smaller. */
import { release, type Tape } from '../../tape/tape';
import { elements, FP32, HALF, type Parameter } from '../../tape/tensor';
import { like, OptimizerState, withGradient } from './state';

/** SGD: no state, in place. */
export function plainSgd(): () => void {
  return () => undefined;
}

/** SGD with momentum: one buffer each. */
export function momentumSgd(tape: Tape, parameters: readonly Parameter[]): () => void {
  const state = new OptimizerState(tape);
  return () => {
    for (const parameter of withGradient(parameters)) state.like(parameter, 1);
  };
}

/**
 * Lion: one moment each; the update is a copy of it and a sum of that with the gradient.
 * https://github.com/lucidrains/lion-pytorch/blob/main/lion_pytorch/lion_pytorch.py
 */
export function lion(tape: Tape, parameters: readonly Parameter[]): () => void {
  const state = new OptimizerState(tape);
  return () => {
    for (const parameter of withGradient(parameters)) {
      state.like(parameter, 1);
      const copy = like(tape, parameter);
      const update = like(tape, parameter);
      release(copy);
      release(update);
    }
  };
}

const NEWTON_SCHULZ_STEPS = 5;

/**
 * Muon for the matrices of the blocks (one moment; the update is orthogonalised in bf16 by five Newton-Schulz steps), fused AdamW
 * for all else. https://github.com/pytorch/pytorch/blob/v2.11.0/torch/optim/_muon.py
 */
export function muon(
  tape: Tape,
  parameters: readonly Parameter[],
  isHiddenMatrix: (parameter: Parameter) => boolean,
): () => void {
  const state = new OptimizerState(tape);
  return () => {
    for (const parameter of withGradient(parameters)) {
      if (!isHiddenMatrix(parameter)) {
        state.like(parameter, 2);
        continue;
      }
      state.like(parameter, 1);
      orthogonalise(tape, parameter);
    }
  };
}

function orthogonalise(tape: Tape, parameter: Parameter): void {
  const count = elements(parameter.shape);
  const side = Math.min(...parameter.shape);
  const update = like(tape, parameter);
  let orthogonal = tape.create([count], HALF);
  for (let step = 0; step < NEWTON_SCHULZ_STEPS; step++) {
    const gram = tape.create([side, side], HALF);
    tape.useCublas();
    const correction = tape.create([side, side], HALF);
    const next = tape.create([count], HALF);
    for (const used of [orthogonal, gram, correction]) release(used);
    orthogonal = next;
  }
  release(update);
  release(orthogonal);
}

/** Tensors below this size keep 32-bit state. */
const SMALLEST_QUANTISED = 4096;
/** Elements that share a scale. */
const SCALE_BLOCK = 256;
/** Paged state below this size stays in card memory. */
const SMALLEST_PAGED = 100_000;

/**
 * bitsandbytes' AdamW with moments of one byte, each with fp32 scales for blocks of elements. `paged`: the moments of large tensors
 * live in managed memory outside of PyTorch's allocator.
 * https://github.com/bitsandbytes-foundation/bitsandbytes/blob/main/bitsandbytes/optim/optimizer.py
 */
export function eightBitAdamW(tape: Tape, parameters: readonly Parameter[], paged: boolean): () => void {
  const state = new OptimizerState(tape);
  return () => {
    for (const parameter of withGradient(parameters))
      state.once(parameter, () => {
        const count = elements(parameter.shape);
        const quantised = count >= SMALLEST_QUANTISED;
        for (let moment = 0; moment < 2; moment++) {
          if (!paged || count < SMALLEST_PAGED) state.keep([count], quantised ? 1 : FP32);
          if (quantised) state.keep([Math.ceil(count / SCALE_BLOCK)], FP32);
        }
      });
  };
}
