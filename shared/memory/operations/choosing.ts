/** What routers do to scores: the best ones, their sums, and choices by index. */
import { hold, release } from '../tape/tape';
import { BOOL, FP32, INT64, type Tensor, withWidth } from '../tape/tensor';
import { maskedFill } from './elementwise';
import { viewOfGradient } from './layout';

/** `topk` over the last dimension: values, and int64 indices that are kept; backward scatters into zeros. */
export function topK(x: Tensor, count: number): { readonly values: Tensor; readonly indices: Tensor } {
  const { tape, elementBytes, shape } = x;
  const chosen = withWidth(shape, count);
  const node = tape.record([x], [], () => [tape.create(shape, elementBytes)]);
  const values = tape.create(chosen, elementBytes);
  const indices = tape.create(chosen, INT64);
  if (node !== null) {
    tape.attach(values, node, 0);
    tape.save(node, indices);
  }
  tape.consume(x);
  return { values, indices };
}

/** `x /= x.sum(-1)`. */
export const divideBySum = (x: Tensor): Tensor =>
  x.tape.frame([x], () => divideInPlace(x, hold(sumOfLast(x))));

/**
 * `x /= sum`, a sum over the last dimension: keeps it, and a copy of x because x is overwritten; backward makes the divisor's
 * gradient through three intermediate tensors, then x's.
 */
export function divideInPlace(x: Tensor, sum: Tensor): Tensor {
  const { tape, elementBytes, shape } = x;
  return tape.frame([x], () => {
    const node = tape.record([x, sum], [sum], () => {
      const wide = Math.max(elementBytes, sum.elementBytes);
      const quotient = tape.create(shape, wide);
      const again = tape.create(shape, wide);
      const negated = tape.create(shape, elementBytes);
      const toSum = tape.create(shape, wide);
      for (const used of [negated, again, quotient]) release(used);
      return [tape.create(shape, wide), toSum];
    });
    if (node !== null) {
      const copied = tape.create(shape, elementBytes);
      tape.save(node, copied);
      tape.consume(copied);
    }
    const output = tape.share(x, shape);
    if (node !== null) tape.attach(output, node, 0);
    return output;
  });
}

/** `x.sum(-1)`, which autocast asks for in fp32; the gradient is expanded by a view. */
export function sumOfLast(x: Tensor): Tensor {
  const { tape, shape } = x;
  const elementBytes = tape.autocast ? FP32 : x.elementBytes;
  return tape.apply([x], [], withWidth(shape, 1), elementBytes, (gradient) => [
    viewOfGradient(gradient, shape),
  ]);
}

/** `x.gather(-1, indices)`: keeps x and the indices; backward scatters into zeros. */
export function gather(x: Tensor, indices: Tensor): Tensor {
  const { tape, elementBytes, shape } = x;
  return tape.apply([x], [x, indices], indices.shape, elementBytes, () => [tape.create(shape, elementBytes)]);
}

/**
 * The scores with those outside of the best groups masked out: `best` [tokens, groups] is what a group is chosen by. Everything
 * made on the way has a name, which lives until the surrounding call ends.
 */
export function maskOtherGroups(scores: Tensor, best: Tensor, chosen: number): Tensor {
  const { tape, shape } = scores;
  const [tokens = 1, groups = 1] = best.shape;
  const { values, indices } = topK(best, chosen);
  hold(indices);
  release(values);
  const mask = hold(tape.create([tokens, groups], best.elementBytes));
  const experts = shape[1] ?? 1;
  // Spread over a group's experts by a copy, which a view can do where there is one group or one expert in each.
  if (groups > 1 && groups < experts) hold(tape.create(shape, mask.elementBytes));
  const inside = tape.create(shape, BOOL);
  const outside = tape.create(shape, BOOL);
  release(inside);
  const masked = maskedFill(scores, outside);
  release(outside);
  return masked;
}
