import type { Node } from './node';
import type { Tape } from './tape';

/** Dimensions, outermost first. */
export type Shape = readonly number[];

/** Bytes of an element of each type. */
export const FP32 = 4;
export const HALF = 2;
export const INT64 = 8;
export const INT32 = 4;
export const BOOL = 1;

/** Memory that tensors share; it is freed when the last handle lets go. */
export interface Storage {
  /** The allocation behind it; -1 while it has none, as FSDP empties and refills weights that nodes keep handles on. */
  id: number;
  references: number;
}

/**
 * A handle on memory with a shape and an element size, and no numbers in it.
 *
 * A handle has exactly one owner: an expression (`floating`: freed by the operation that takes it), a call
 * (freed when the call returns) or an object such as a parameter, a node or a cache. See `Tape` for the rules.
 */
export class Tensor {
  alive = true;
  /** Owned by the expression it stands in: the next operation that takes it frees it. */
  floating = false;
  /** Depth of the call that owns the handle, -1 for an object. */
  depth = -1;
  /** An argument of the call that owns it: held until that call returns, whatever the code does. */
  isArgument = false;
  /** The node that made it, for a parameter the node that collects its gradient. */
  node: Node | null = null;
  /** Which output of `node` it is. */
  slot = 0;
  requiresGradient = false;
  /**
   * For [batch, heads, positions, d]: memory has positions before heads, as a projection's output that is only looked at
   * this way. Kernels write their output in the query's order, and plain products copy what is not in the shape's own order.
   * For [batch, positions, width]: memory has the width before the positions, as a convolution's output has; norms copy it.
   */
  positionsFirst = false;
  /** A tracked view: PyTorch keeps its base alive, so it is never summed into in place. */
  isView = false;

  constructor(
    readonly tape: Tape,
    readonly storage: Storage,
    readonly shape: Shape,
    readonly elementBytes: number,
  ) {}

  get bytes(): number {
    return elements(this.shape) * this.elementBytes;
  }
}

/** A weight of the model, trained or frozen. */
export class Parameter extends Tensor {
  gradient: Tensor | null = null;
  /** Called each time a gradient has been added: where DDP and FSDP hook in. */
  afterGradient: (() => void) | null = null;

  constructor(
    tape: Tape,
    storage: Storage,
    shape: Shape,
    elementBytes: number,
    readonly name: string,
    trained: boolean,
  ) {
    super(tape, storage, shape, elementBytes);
    this.requiresGradient = trained;
  }
}

/** Elements of a shape; a shape without dimensions has one. */
export function elements(shape: Shape): number {
  let count = 1;
  // By index: this runs for every tensor, and an iterator makes an object for every size until the compiler knows better.
  for (let index = 0; index < shape.length; index++) count *= shape[index] ?? 1;
  return count;
}

/** The size of the last dimension. */
export function width(shape: Shape): number {
  return shape[shape.length - 1] ?? 1;
}

/** The same shape with another last dimension. */
export function withWidth(shape: Shape, size: number): Shape {
  return [...shape.slice(0, -1), size];
}
