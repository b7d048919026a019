/** What contrastive models do with two towers' outputs: lengths of vectors, quotients, products of all pairs, and their losses. */
import { hold } from '../tape/tape';
import { BOOL, FP32, INT64, type Shape, type Tensor, withWidth } from '../tape/tensor';
import { cast, power } from './elementwise';
import { reshape, viewOfGradient } from './layout';
import { crossEntropy } from './loss';

/** `a / b`, b smaller or alike: keeps both; b's gradient takes three intermediate tensors of the quotient's size. */
export function divide(a: Tensor, b: Tensor): Tensor {
  const { tape, shape } = a;
  const elementBytes = Math.max(a.elementBytes, b.elementBytes);
  const needsB = tape.needs(b);
  return tape.apply([a, b], [a, b], shape, elementBytes, () => {
    const make = (): Tensor => tape.create(shape, elementBytes);
    const made = needsB ? [make(), make(), make()] : [];
    const toB = needsB ? make() : null;
    for (const used of made) tape.release(used);
    return [make(), toB];
  });
}

/** `x.sum(dim=-1)`, kept as 1 or not: keeps nothing, and the gradient is an expanded view. Autocast runs it in fp32. */
export function sumOfRows(x: Tensor, keepsDimension = true): Tensor {
  const { tape } = x;
  const input = tape.autocast ? cast(x, FP32) : x;
  const shape = keepsDimension ? withWidth(x.shape, 1) : x.shape.slice(0, -1);
  return tape.apply([input], [], shape, input.elementBytes, (gradient) => [
    viewOfGradient(gradient, x.shape),
  ]);
}

/** The length of each row, written as powers and a sum (CLIP). */
export function writtenLength(x: Tensor): Tensor {
  return x.tape.frame([], () => {
    const squares = hold(power(x));
    const sums = hold(sumOfRows(squares));
    return power(sums);
  });
}

/** `x.norm(p=2, dim=-1, keepdim=True)`: keeps input and result, which autocast makes in fp32 without casting the input. */
export function lengthOfRows(x: Tensor): Tensor {
  const { tape, shape } = x;
  const elementBytes = tape.autocast ? FP32 : x.elementBytes;
  const lengths = withWidth(shape, 1);
  return tape.apply(
    [x],
    [x],
    lengths,
    elementBytes,
    () => {
      const direction = tape.create(shape, elementBytes);
      const isZero = tape.create(lengths, BOOL);
      const result = tape.create(shape, elementBytes);
      for (const used of [isZero, direction]) tape.release(used);
      return [result];
    },
    true,
  );
}

/** `logsigmoid(x)`: keeps its input; backward makes one tensor. */
export function logSigmoid(x: Tensor): Tensor {
  const { tape, shape, elementBytes } = x;
  return tape.apply([x], [x], shape, elementBytes, () => [tape.create(shape, elementBytes)]);
}

/**
 * `a @ b.T` of two matrices: keeps each for the other's gradient. Autocast casts both.
 */
export function allPairs(a: Tensor, b: Tensor): Tensor {
  const { tape } = a;
  const right = tape.castForProduct(b);
  const left = tape.castForProduct(a);
  const { elementBytes } = left;
  const [leftShape, rightShape] = [left.shape, right.shape];
  const shape: Shape = [leftShape[0] ?? 1, rightShape[0] ?? 1];
  const output = tape.apply([left, right], [left, right], shape, elementBytes, () => {
    const toRight = tape.create(rightShape, elementBytes);
    tape.useCublas();
    const toLeft = tape.create(leftShape, elementBytes);
    // The right side's gradient comes out transposed, as a view.
    toRight.isView = true;
    return [toLeft, toRight];
  });
  tape.useCublas();
  return output;
}

/** `cross_entropy(x, arange(len(x)))`; `transposed`: of the transposed matrix, which the kernel copies. */
export function diagonalCrossEntropy(x: Tensor, transposed: boolean): Tensor {
  const { tape, shape } = x;
  return tape.frame([x], () => {
    const labels = tape.create([shape[0] ?? 1], INT64);
    return crossEntropy(transposed ? reshape(x, shape) : x, labels, transposed);
  });
}
