import type { KindIndex } from './log';
import type { Tensor } from './tensor';

/** A tensor kept for backward, or the promise that recomputation will bring it back. */
export type Saved = Tensor | Promised;

/** Checkpointing's stand-in for a kept tensor. */
interface Promised {
  /** The tensor; the caller owns it. */
  take(): Tensor;
  release(): void;
}

/**
 * What an operation does in backward. `gradient` is the first output's, `gradients` all of them (null: not
 * needed by anyone); the result has one entry an input. Returning `gradient` itself hands it on without a copy.
 */
export type Backward = (
  gradient: Tensor,
  saved: readonly Tensor[],
  gradients: readonly (Tensor | null)[],
) => readonly (Tensor | null)[];

/** One operation of the graph, as PyTorch's autograd::Node: what it keeps and where gradients go. */
export class Node {
  saved: Saved[] = [];
  /** For each input the node its gradient goes to. */
  edges: (Node | null)[] = [];
  /** Tensor handles and edges that point here; at 0 the node and what it keeps are dropped. */
  references = 0;
  /** Edges that still have to deliver in the running backward. */
  dependencies = 0;
  /** Its edges have been counted. A node that outlives a backward has none. */
  isCounted = false;
  /** What runs before the node in backward: hooks on its output (`Tensor.register_hook`). */
  hooks: (() => void)[] | null = null;
  /** Gradients collected so far, one an output. */
  gradients: (Tensor | null)[] = [];

  constructor(
    /** Creation order; backward runs the highest first. Nodes that collect a parameter's gradient: Infinity. */
    readonly sequence: number,
    readonly backward: Backward,
    /** Gradients are summed and cast to their shapes and element sizes. */
    readonly inputs: readonly (Tensor | null)[],
    /** Kind and place of the forward operation: backward's memory is counted with it. */
    readonly kind: KindIndex,
    readonly place: number,
  ) {}
}
