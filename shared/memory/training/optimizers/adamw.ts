/**
 * AdamW as PyTorch runs it: several tensors at once (`foreach`), one fused kernel, or a loop.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/optim/adam.py
 */
import type { Tape } from '../../tape/tape';
import { FP32, type Parameter, type Tensor } from '../../tape/tensor';
import { like, OptimizerState, withGradient } from './state';

/** Two moments each; `_foreach_sqrt` makes the denominators of all parameters at once. */
export function foreachAdamW(tape: Tape, parameters: readonly Parameter[]): () => void {
  const state = new OptimizerState(tape);
  return () => {
    const trained = withGradient(parameters);
    for (const parameter of trained) state.like(parameter, 2);
    const denominators = trained.map((parameter) => like(tape, parameter));
    for (const denominator of denominators.reverse()) tape.release(denominator);
  };
}

/** Two moments each and a step count on the card; the kernel needs nothing more. */
export function fusedAdamW(tape: Tape, parameters: readonly Parameter[]): () => void {
  const state = new OptimizerState(tape);
  return () => {
    for (const parameter of withGradient(parameters))
      state.once(parameter, () => {
        state.keep([1], FP32);
        state.keep(parameter.shape, parameter.elementBytes);
        state.keep(parameter.shape, parameter.elementBytes);
      });
  };
}

/** Two moments each; a root and a denominator, which stays bound to its name while the next parameter's are made. */
export function loopAdamW(tape: Tape, parameters: readonly Parameter[]): () => void {
  const state = new OptimizerState(tape);
  return () => {
    const trained = withGradient(parameters);
    for (const parameter of trained) state.like(parameter, 2);
    let denominator: Tensor | null = null;
    for (const parameter of trained) {
      const root = like(tape, parameter);
      const next = like(tape, parameter);
      tape.release(root);
      if (denominator !== null) tape.release(denominator);
      denominator = next;
    }
    if (denominator !== null) tape.release(denominator);
  };
}
