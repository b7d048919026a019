/** Operations that change how memory is looked at: views, slices, joins and the copies that layouts force. */
import type { Node } from '../tape/node';
import { release } from '../tape/tape';
import { INT64, type Shape, type Tensor, width, withWidth } from '../tape/tensor';

/** `view`, `transpose`, `unsqueeze`: the same memory, and the gradient is a view too. */
export function view(x: Tensor, shape: Shape): Tensor {
  return x.tape.view(x, shape);
}

function sharing(x: Tensor, shape: Shape, node: Node | null): Tensor {
  const output = x.tape.share(x, shape);
  if (node !== null) x.tape.attach(output, node, 0);
  x.tape.consume(x);
  return output;
}

/** A view of another size, whose gradient takes a tensor of x's size. */
function viewOfOtherSize(x: Tensor, shape: Shape): Tensor {
  const { tape, elementBytes, shape: own } = x;
  const node = tape.record([x], [], () => [tape.create(own, elementBytes)]);
  return sharing(x, shape, node);
}

/**
 * `reshape` that autograd tracks: its gradient is a view, so nothing is added to it in place. `view` leaves that out, which is the
 * same wherever the producer's gradient is a view anyway.
 */
export function reshape(x: Tensor, shape: Shape): Tensor {
  const own = x.shape;
  const node = x.tape.record([x], [], (gradient) => [viewOfGradient(gradient, own)]);
  return sharing(x, shape, node);
}

/**
 * A projection's output [batch, positions, heads · d] looked at as [batch, heads, positions, d]. Where `gradientCopied`, the gradient
 * arrives with heads in front and is copied for the projection; a single head is laid out either way.
 */
export function splitHeads(x: Tensor, shape: Shape, gradientCopied: boolean): Tensor {
  const [, heads = 1] = shape;
  const output = gradientCopied && heads > 1 ? viewWithGradientCopy(x, shape) : view(x, shape);
  output.positionsFirst = heads > 1;
  return output;
}

/** A view whose gradient arrives in another layout and is copied into one that the producer can read. */
export function viewWithGradientCopy(x: Tensor, shape: Shape): Tensor {
  const { tape, elementBytes } = x;
  const node = tape.record([x], [], () => [tape.create(shape, elementBytes)]);
  return sharing(x, shape, node);
}

/** `contiguous()`, `reshape` or `expand` that copies; the gradient is copied back. */
export function copy(x: Tensor, shape: Shape = x.shape): Tensor {
  const { tape, elementBytes, shape: own } = x;
  return tape.apply([x], [], shape, elementBytes, () => [tape.create(own, elementBytes)]);
}

/** `expand` of a dimension of 1: a view of the larger shape; backward sums into a tensor of x's size. */
export function expand(x: Tensor, shape: Shape): Tensor {
  return viewOfOtherSize(x, shape);
}

/** A copy whose gradient passes as a view. */
export function copyForward(x: Tensor, shape: Shape = x.shape): Tensor {
  return x.tape.apply([x], [], shape, x.elementBytes, (gradient) => [gradient]);
}

/** A copy in the order in which a product reads: its gradient passes as a view of what the product makes. */
export function copyForProduct(x: Tensor): Tensor {
  const { shape } = x;
  return x.tape.apply([x], [], shape, x.elementBytes, (gradient) => [viewOfGradient(gradient, shape)]);
}

/**
 * `x[..., from:to]`, a view of `size` of the last dimension: backward fills a tensor of x's size with zeros. A slice of the whole
 * is the tensor itself.
 */
export function slice(x: Tensor, size: number): Tensor {
  const { shape } = x;
  return size === width(shape) ? view(x, shape) : viewOfOtherSize(x, withWidth(shape, size));
}

/** A slice of any dimension as a view of `shape`: backward fills a tensor of x's size with zeros. */
export function sliceOf(x: Tensor, shape: Shape): Tensor {
  return viewOfOtherSize(x, shape);
}

/**
 * `x[..., [i], :]`, a copy of `shape` picked by a list of one index: keeps the index; backward fills a tensor of x's size with
 * zeros and adds to it at the sorted indices, for which a few small integers are needed.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/cuda/Indexing.cu
 */
export function pick(x: Tensor, shape: Shape): Tensor {
  const { tape, elementBytes, shape: own } = x;
  const index = tape.create([1], INT64);
  const output = tape.apply([x], [index], shape, elementBytes, () => {
    const result = tape.create(own, elementBytes);
    const small = (count: number): Tensor[] => Array.from({ length: count }, () => tape.create([1], INT64));
    const [linear] = small(1);
    const kept = small(1);
    if (linear !== undefined) release(linear);
    kept.push(...small(3));
    tape.scratch(1);
    for (const made of kept.reverse()) release(made);
    return [result];
  });
  tape.consume(index);
  return output;
}

/**
 * `x[indices, otherIndices]`, rows picked by a pair of index vectors of `count` elements: keeps both; backward fills a tensor of
 * x's size with zeros and adds the rows to it at the sorted positions, for which a few more vectors are needed.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/cuda/Indexing.cu
 */
export function pickRows(x: Tensor, indices: readonly Tensor[], shape: Shape): Tensor {
  const { tape, elementBytes, shape: own } = x;
  const [count = 1] = shape;
  const output = tape.apply([x], indices, shape, elementBytes, () => {
    const result = tape.create(own, elementBytes);
    const vector = (): Tensor => tape.create([count], INT64);
    const strided = [vector(), vector()];
    release(strided[0] ?? result);
    const [sum, linear] = [vector(), vector()];
    for (const used of [sum, ...strided.slice(1)]) release(used);
    const sorted = [linear, vector(), vector(), vector()];
    tape.scratch(1);
    for (const made of sorted.reverse()) release(made);
    return [result];
  });
  for (const index of indices) tape.consume(index);
  return output;
}

/** `split` along the last dimension: views of x; backward joins the parts' gradients into one tensor. */
export function split(x: Tensor, sizes: readonly [number, number]): [Tensor, Tensor];
export function split(x: Tensor, sizes: readonly [number, number, number]): [Tensor, Tensor, Tensor];
export function split(x: Tensor, sizes: readonly number[]): Tensor[];
export function split(x: Tensor, sizes: readonly number[]): Tensor[] {
  const shapes: readonly Shape[] = sizes.map((size) => withWidth(x.shape, size));
  return splitInto(x, shapes);
}

/** `split` along the first dimension: views of x of the given shapes; backward joins the parts' gradients into one tensor. */
export function splitInto(x: Tensor, shapes: readonly [Shape, Shape]): [Tensor, Tensor];
export function splitInto(x: Tensor, shapes: readonly Shape[]): Tensor[];
export function splitInto(x: Tensor, shapes: readonly Shape[]): Tensor[] {
  const { tape, elementBytes, shape } = x;
  const node = tape.record([x], [], () => [tape.create(shape, elementBytes)]);
  const parts = shapes.map((part, slot) => {
    const output = tape.share(x, part);
    if (node !== null) tape.attach(output, node, slot);
    return output;
  });
  tape.consume(x);
  return parts;
}

/** `x.repeat(…)` along a dimension of 1: a copy; backward sums into a tensor of x's size. */
export function repeat(x: Tensor, shape: Shape): Tensor {
  return copyForward(x, shape);
}

/** `cat` along the last dimension: a new tensor; the parts' gradients are views of its gradient. */
export function concatenate(parts: readonly Tensor[]): Tensor {
  return join(parts, ({ shape }) =>
    withWidth(
      shape,
      parts.reduce((sum, part) => sum + width(part.shape), 0),
    ),
  );
}

/** Parts of two widths of elements are promoted to the wider one. */
function join(parts: readonly Tensor[], shapeOf: (first: Tensor) => Shape): Tensor {
  const [first] = parts;
  if (first === undefined) throw new Error('Nothing to join.');
  const shapes = parts.map(({ shape }) => shape);
  const elementBytes = Math.max(...parts.map((part) => part.elementBytes));
  return first.tape.apply(parts, [], shapeOf(first), elementBytes, (gradient) =>
    shapes.map((shape) => viewOfGradient(gradient, shape)),
  );
}

/** A part of a gradient: PyTorch tracks it as a view, so nothing is ever added to it in place. */
export function viewOfGradient(gradient: Tensor, shape: Shape): Tensor {
  const part = gradient.tape.share(gradient, shape);
  part.isView = true;
  return part;
}

/** `cat` of [batch, positions, width] tensors along the positions. */
export function concatenateRows(parts: readonly Tensor[]): Tensor {
  const rows = parts.reduce((sum, { shape: [, positions = 0] }) => sum + positions, 0);
  return join(parts, ({ shape: [batch = 1, , size = 1] }) => [batch, rows, size]);
}

/** `x[:, i]`, a view of one position: backward fills a tensor of x's size with zeros. */
export function firstPosition(x: Tensor): Tensor {
  const [batch = 1, , size = 1] = x.shape;
  return viewOfOtherSize(x, [batch, size]);
}

/** `x.mean(dim=1)` of [batch, positions, width]: keeps nothing, backward spreads the gradient over a tensor of x's size. */
export function meanOfPositions(x: Tensor): Tensor {
  const { tape, elementBytes, shape } = x;
  const [batch = 1, , size = 1] = shape;
  return tape.apply([x], [], [batch, size], elementBytes, () => [tape.create(shape, elementBytes)]);
}
