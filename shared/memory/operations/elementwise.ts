/**
 * Operations that work element by element. Each makes one output of its inputs' broadcast shape; the comment says what
 * it keeps for backward and what backward allocates.
 */
import type { Node } from '../tape/node';
import { BOOL, elements, FP32, type Shape, type Tensor } from '../tape/tensor';

/** The larger shape of two; PyTorch's broadcasting where one of them is a vector, a column or the same. */
function broadcast(a: Shape, b: Shape): Shape {
  if (a.length === b.length) return a.map((size, index) => Math.max(size, b[index] ?? 1));
  const [countA, countB] = [elements(a), elements(b)];
  // A weight and one token have equally many elements; the result has all dimensions.
  if (countA === countB) return a.length > b.length ? a : b;
  return countA > countB ? a : b;
}

/** The wider type of both; a single number without dimensions does not widen a tensor. */
function wider(a: Tensor, b: Tensor): number {
  if (a.shape.length === 0 && b.shape.length > 0) return b.elementBytes;
  if (b.shape.length === 0 && a.shape.length > 0) return a.elementBytes;
  return Math.max(a.elementBytes, b.elementBytes);
}

/** Another floating-point width (`tensor.to(dtype)`): keeps nothing, backward casts back. */
export function cast(x: Tensor, elementBytes: number): Tensor {
  return x.tape.cast(x, elementBytes);
}

/** `a * b`: each side is kept when the other one needs a gradient. */
export function multiply(a: Tensor, b: Tensor): Tensor {
  const { tape } = a;
  const [needsA, needsB] = [tape.needs(a), tape.needs(b)];
  const elementBytes = wider(a, b);
  return inOrderOf(
    [a, b],
    tape.apply(
      [a, b],
      [needsB ? a : null, needsA ? b : null],
      broadcast(a.shape, b.shape),
      elementBytes,
      (gradient) => {
        const toB = needsB ? tape.create(gradient.shape, elementBytes) : null;
        const toA = needsA ? tape.create(gradient.shape, elementBytes) : null;
        return [toA, toB];
      },
    ),
  );
}

/** Element by element, the output has its memory in the order of the first input that has its size. */
function inOrderOf(inputs: readonly Tensor[], output: Tensor): Tensor {
  const count = elements(output.shape);
  output.positionsFirst = inputs.find(({ shape }) => elements(shape) === count)?.positionsFirst === true;
  return output;
}

/** `a + b`: keeps nothing, the gradient passes to both without a copy. */
export function add(a: Tensor, b: Tensor): Tensor {
  const { tape } = a;
  return inOrderOf(
    [a, b],
    tape.apply([a, b], [], broadcast(a.shape, b.shape), wider(a, b), (gradient) => [gradient, gradient]),
  );
}

/** `a += b`: no memory, the result is a's; the gradient passes to both. */
export function addInPlace(a: Tensor, b: Tensor): Tensor {
  const { tape } = a;
  const node = tape.record([a, b], [], (gradient) => [gradient, gradient]);
  return changedInPlace(a, node, b);
}

/** `a *= constant`, `a /= constant`. */
export function scaleInPlace(a: Tensor): Tensor {
  const { tape } = a;
  const node = tape.record([a], [], (gradient) => [tape.create(gradient.shape, gradient.elementBytes)]);
  return changedInPlace(a, node, null);
}

/**
 * The same of a view: the gradient is copied for the whole tensor, the view's part of it copied again, scaled and written back.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/csrc/autograd/functions/tensor.cpp
 */
export function scaleViewInPlace(a: Tensor): Tensor {
  const { tape, elementBytes, shape } = a;
  const node = tape.record([a], [], () => {
    const whole = tape.create(shape, elementBytes);
    const part = tape.create(shape, elementBytes);
    const scaled = tape.create(shape, elementBytes);
    for (const used of [scaled, part]) tape.release(used);
    return [whole];
  });
  return changedInPlace(a, node, null);
}

function changedInPlace(a: Tensor, node: Node | null, b: Tensor | null): Tensor {
  const { tape } = a;
  const output = tape.share(a, a.shape);
  if (node !== null) tape.attach(output, node, 0);
  tape.consume(a);
  if (b !== null) tape.consume(b);
  return output;
}

/** `x.masked_fill(mask, constant)`: keeps the mask; backward makes one tensor. */
export function maskedFill(x: Tensor, mask: Tensor): Tensor {
  const { tape, elementBytes, shape } = x;
  return tape.apply([x], [mask], shape, elementBytes, (gradient) => [
    tape.create(gradient.shape, gradient.elementBytes),
  ]);
}

/** `x.masked_fill_(mask, constant)`: as above without a new tensor forward. */
export function maskedFillInPlace(x: Tensor, mask: Tensor): Tensor {
  const { tape, elementBytes, shape } = x;
  const node = tape.record([x], [mask], () => [tape.create(shape, elementBytes)]);
  return changedInPlace(x, node, null);
}

/** `x.clamp(min, max)` with one bound or both: keeps x; backward compares with each bound and chooses between gradient and zero. */
export function clamp(x: Tensor, bounds: 1 | 2): Tensor {
  const { tape, elementBytes, shape } = x;
  return tape.apply([x], [x], shape, elementBytes, () => {
    const zero = tape.create([1], elementBytes);
    const comparisons = Array.from({ length: bounds }, () => tape.create(shape, BOOL));
    const result = tape.create(shape, elementBytes);
    for (const used of [zero, ...comparisons]) tape.release(used);
    return [result];
  });
}

/** `where(buffer, x, constant)`: keeps only the condition, which belongs to the model; backward makes a zero and one tensor. */
export function where(x: Tensor): Tensor {
  const { tape, elementBytes, shape } = x;
  return tape.apply([x], [], shape, elementBytes, (gradient) => {
    const zero = tape.create([1], gradient.elementBytes);
    const result = tape.create(gradient.shape, gradient.elementBytes);
    tape.release(zero);
    return [result];
  });
}

/** `a - b` where b needs a gradient of its own: the negative of the output's. */
export function subtract(a: Tensor, b: Tensor): Tensor {
  const { tape } = a;
  const needsB = tape.needs(b);
  const bytes = wider(a, b);
  return inOrderOf(
    [a, b],
    tape.apply([a, b], [], broadcast(a.shape, b.shape), bytes, (gradient) => [
      gradient,
      needsB ? tape.create(gradient.shape, bytes) : null,
    ]),
  );
}

/** `x * constant`, `x / constant`: keeps nothing, backward multiplies the gradient. */
export function scale(x: Tensor): Tensor {
  const { tape, elementBytes, shape } = x;
  return inOrderOf(
    [x],
    tape.apply([x], [], shape, elementBytes, (gradient) => [
      tape.create(gradient.shape, gradient.elementBytes),
    ]),
  );
}

/** `x + constant`: keeps nothing, the gradient passes. */
export function addConstant(x: Tensor): Tensor {
  return x.tape.apply([x], [], x.shape, x.elementBytes, (gradient) => [gradient]);
}

/** `x + buffer`, a buffer of elements of `bufferBytes`: the sum is as wide as the wider one, the gradient passes. */
export function addBuffer(x: Tensor, bufferBytes: number): Tensor {
  return x.tape.apply([x], [], x.shape, Math.max(x.elementBytes, bufferBytes), (gradient) => [gradient]);
}

/** `-x`: as a scale by -1. */
export function negate(x: Tensor): Tensor {
  return scale(x);
}

/** `x.pow(constant)`: keeps x; backward makes two factors and their product. Autocast runs it in fp32. */
export function power(x: Tensor): Tensor {
  const input = x.tape.autocast ? cast(x, FP32) : x;
  const { tape, elementBytes, shape } = input;
  return tape.apply([input], [input], shape, elementBytes, (gradient) => [chain(gradient, 2)]);
}

/** `rsqrt(x)`: keeps its output; backward makes two factors and their product. Autocast runs it in fp32. */
export function inverseSquareRoot(x: Tensor): Tensor {
  const input = x.tape.autocast ? cast(x, FP32) : x;
  const { tape, elementBytes, shape } = input;
  return tape.apply([input], [], shape, elementBytes, (gradient) => [chain(gradient, 2)], true);
}

/** `exp(x)`: keeps its output; backward makes one tensor. Autocast runs it in fp32. */
export function exponential(x: Tensor): Tensor {
  return activationKeepingOutput(x.tape.autocast ? cast(x, FP32) : x);
}

/** A product of `factors` intermediate tensors of the gradient's size, which die with it. */
function chain(gradient: Tensor, factors: number): Tensor {
  const { tape } = gradient;
  const made: Tensor[] = [];
  for (let count = 0; count < factors; count++) made.push(tape.create(gradient.shape, gradient.elementBytes));
  const result = tape.create(gradient.shape, gradient.elementBytes);
  for (const factor of made.reverse()) tape.release(factor);
  return result;
}

/** `silu(x)`, `gelu(x)` and other fused activations: keep their input, backward makes one tensor. */
export function activation(x: Tensor): Tensor {
  const { tape, elementBytes, shape } = x;
  return inOrderOf(
    [x],
    tape.apply([x], [x], shape, elementBytes, (gradient) => [
      tape.create(gradient.shape, gradient.elementBytes),
    ]),
  );
}

/** `relu(x)`, `tanh(x)`, `sigmoid(x)`: keep their output, backward makes one tensor. */
export function activationKeepingOutput(x: Tensor): Tensor {
  const { tape, elementBytes, shape } = x;
  return tape.apply(
    [x],
    [],
    shape,
    elementBytes,
    (gradient) => [tape.create(gradient.shape, gradient.elementBytes)],
    true,
  );
}

/**
 * `dropout(x)` in training: keeps a mask of one byte an element. With probability 0 the module returns its input.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/cuda/Dropout.cu
 */
export function dropout(x: Tensor, probability: number): Tensor {
  if (probability === 0) return x;
  const { tape, elementBytes, shape } = x;
  const node = tape.record([x], [], (gradient) => [tape.create(gradient.shape, gradient.elementBytes)]);
  const mask = tape.create(shape, 1);
  const output = tape.create(shape, elementBytes);
  if (node !== null) {
    tape.attach(output, node, 0);
    tape.save(node, mask);
  }
  tape.consume(mask);
  tape.consume(x);
  return output;
}
