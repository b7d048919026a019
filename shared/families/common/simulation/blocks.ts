/** The loop over a stack's layers, which most models write the same way. */
import type { Module } from '../../../memory/tape/module';
import { hold, last } from '../../../memory/tape/tape';
import type { Tensor } from '../../../memory/tape/tensor';
import type { Layer } from '../../../model/architecture';
import { type Forward, runBlock } from '../../forward';

/**
 * Which of the blocks' inputs keep a name while the next block runs: none (`hidden = block(hidden)` all the way), the first, which the
 * caller names too (the embeddings), or all (a list of hidden states).
 */
type NamedInputs = 'none' | 'first' | 'all';

/** What runs through a stack. */
export interface BlockRun {
  /** The module list of the blocks. */
  readonly blocks: Module;
  readonly layers: readonly Layer[];
  /** Index of the first of `layers` among the blocks; 0 where it is not given. */
  readonly from?: number;
  /** Hidden states [batch, positions, width] in front of the first block, held. */
  readonly hidden: Tensor;
  readonly named: NamedInputs;
  /** Keyword tensors that each block gets, such as a mask. */
  readonly shared?: readonly (Tensor | null)[];
}

/** One block's forward over its input and what the blocks share. */
type BlockForward = (
  block: Module,
  layer: Layer,
  x: Tensor,
  shared: readonly (Tensor | null)[],
  index: number,
) => Tensor;

/** Runs all blocks, each as a checkpoint where that is asked; returns the last one's output, held. */
export function runBlocks(
  forward: Forward,
  { blocks, layers, from = 0, hidden: embedded, named, shared = [] }: BlockRun,
  body: BlockForward,
): Tensor {
  let hidden = embedded;
  layers.forEach((layer, index) => {
    const block = blocks.child(String(from + index));
    const keeps = named === 'all' || (named === 'first' && index === 0);
    hidden = hold(
      runBlock(forward, block, keeps ? hidden : last(hidden), shared, (x, given) =>
        body(block, layer, x, given, from + index),
      ),
    );
  });
  return hidden;
}
