import { clippingPlace } from '../tape/places';
import { hold, release, type Tape } from '../tape/tape';
import { elements, FP32, type Parameter } from '../tape/tensor';

/** Elements that one block of PyTorch's multi-tensor kernels takes. */
const chunkElements = 65_536;

/**
 * `clip_grad_norm_` with foreach: one partial norm a chunk for the largest gradient's number of chunks, a norm a gradient,
 * the norm of those, then the coefficient; the gradients are scaled in place.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/nn/utils/clip_grad.py
 */
export function clipGradientNorm(tape: Tape, parameters: readonly Parameter[]): void {
  tape.call(tape.log.place(clippingPlace), [], () =>
    tape.as('workspace', () => {
      const gradients = parameters.flatMap(({ gradient }) => (gradient === null ? [] : [gradient]));
      const [first] = gradients;
      if (first === undefined) return;
      const { elementBytes } = first;
      const chunks = Math.max(...gradients.map(({ shape }) => Math.ceil(elements(shape) / chunkElements)));
      const partial = tape.create([gradients.length, chunks], FP32);
      const norms = gradients.map(() => tape.create([], elementBytes));
      tape.release(partial);
      const stacked = tape.create([gradients.length], elementBytes);
      const total = hold(tape.create([], elementBytes));
      for (const done of [stacked, ...norms]) release(done);
      const shifted = tape.create([], elementBytes);
      const reciprocal = tape.create([], elementBytes);
      const coefficient = tape.create([], elementBytes);
      release(reciprocal);
      release(shifted);
      const clamped = tape.create([], elementBytes);
      for (const done of [coefficient, clamped, total]) release(done);
    }),
  );
}
