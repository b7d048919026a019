/** The optimizers that keep less than AdamW. */
import { sumAll } from '../../operations/reductions';
import { release, type Tape } from '../../tape/tape';
import { elements, HALF, type Parameter, type Shape, type Tensor } from '../../tape/tensor';
import { like, OptimizerState, withGradient } from './state';

/**
 * SGD: no state, in place.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/optim/sgd.py
 */
export function plainSgd(): () => void {
  return () => undefined;
}

/** SGD with momentum: one buffer each, which starts as a copy of the first gradient. */
export function momentumSgd(tape: Tape, parameters: readonly Parameter[]): () => void {
  const state = new OptimizerState(tape);
  return () => {
    for (const parameter of withGradient(parameters)) state.like(parameter, 1);
  };
}

/**
 * Lion: one moment each; the update is a copy of it and a sum of that with the gradient.
 * https://github.com/lucidrains/lion-pytorch/blob/0.2.3/lion_pytorch/lion_pytorch.py
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

/** `ns_steps` of torch.optim.Muon. */
const newtonSchulzSteps = 5;

/**
 * Muon for the matrices of the blocks (one moment; the update is orthogonalised in bf16 by five Newton-Schulz steps), fused AdamW
 * for all else. `matrixOf`: the whole matrix that a parameter is, or is a shard of; null for all else.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/optim/_muon.py
 */
export function muon(
  tape: Tape,
  parameters: readonly Parameter[],
  matrixOf: (parameter: Parameter) => Shape | null,
): () => void {
  const state = new OptimizerState(tape);
  return () => {
    // The name of the last update outlives its turn: it goes when the next one is made.
    let last: Tensor | null = null;
    for (const parameter of withGradient(parameters)) {
      const matrix = matrixOf(parameter);
      if (matrix === null) {
        state.like(parameter, 2);
        continue;
      }
      state.like(parameter, 1);
      const update = like(tape, parameter);
      if (last !== null) release(last);
      last = orthogonalised(tape, update, Math.min(...matrix));
    }
    if (last !== null) release(last);
  };
}

/**
 * Newton-Schulz steps over an update of a matrix whose shorter side is `side`: a product of the matrix with itself, a polynomial of
 * that, the next matrix. Names hold the first two until the next step has made its own. Takes the update's place.
 */
function orthogonalised(tape: Tape, update: Tensor, side: number): Tensor {
  const count = elements(update.shape);
  const isHalf = update.elementBytes === HALF;
  let orthogonal = isHalf ? update : tape.create([count], HALF);
  release(sumAll(tape, count));
  let product: Tensor | null = null;
  let polynomial: Tensor | null = null;
  const square = (before: Tensor | null): Tensor => {
    const made = tape.create([side, side], HALF);
    tape.useCublas();
    if (before !== null) release(before);
    return made;
  };
  for (let step = 0; step < newtonSchulzSteps; step++) {
    product = square(product);
    polynomial = square(polynomial);
    const next = tape.create([count], HALF);
    tape.useCublas();
    // An update that had the right type already keeps its name as well.
    if (orthogonal !== update) release(orthogonal);
    orthogonal = next;
  }
  for (const named of [product, polynomial, update])
    if (named !== null && named !== undefined) release(named);
  return orthogonal;
}
