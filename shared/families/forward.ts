import type { AttentionRequest } from '../memory/operations/attention/request';
import { type BlockBody, checkpoint } from '../memory/tape/checkpoint';
import type { Checkpointing } from '../memory/tape/checkpointing';
import { type Module, withHooks } from '../memory/tape/module';
import type { SegmentedCheckpoint } from '../memory/tape/segments';
import type { Tape } from '../memory/tape/tape';
import { Tensor } from '../memory/tape/tensor';
import type { Architecture } from '../model/architecture';

/** What a family's forward needs beside the model itself. */
export interface Forward {
  readonly tape: Tape;
  readonly architecture: Architecture;
  readonly root: Module;
  readonly batch: number;
  /** Tokens of each sample; 0 for images. */
  readonly sequence: number;
  readonly attention: AttentionRequest;
  /** Element size of the weights that the model computes with: masks follow it. */
  readonly modelBytes: number;
  /** Element size of buffers such as the frequencies of rotary positions: the weights' as built. */
  readonly bufferBytes: number;
  readonly checkpointing: Checkpointing;
  /** Set where checkpointing is by segments. */
  readonly segments: SegmentedCheckpoint | null;
  /** Element size of an image's pixels in the batch. */
  readonly pixelBytes: number;
  /** Set where the model is cut into stages. */
  readonly stage: StageForward | null;
  /** True when only adapters are trained: the input of the first block then has to require a gradient. */
  readonly frozenBase: boolean;
}

/** What a stage of a pipeline does around its blocks. */
export interface StageForward {
  /** The stage's input instead of `x`, where `x` is the first block's; `x` elsewhere. */
  enter(x: Tensor): Tensor;
  /** Does not return from the stage's last block, if what follows it in the code is another stage's. */
  leave(output: Tensor): void;
}

/** Simulates the forward of one micro-batch, labels included, and returns the loss. */
export type FamilyForward = (forward: Forward) => Tensor;

/** A block's forward: `x` is its positional argument, `closedOver` are its keyword tensors. It must use the ones that it is given. */
type BlockBodyOf<T> = (x: Tensor, closedOver: readonly (Tensor | null)[]) => T;

/**
 * Runs one of a stack's blocks (`GradientCheckpointingLayer`), which gives a tensor or several, the first of which goes on. A checkpoint
 * keeps `x` alone and holds `closedOver` until the block's backward has ended.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/modeling_layers.py#L52
 */
export function runBlock<T extends Tensor | readonly Tensor[]>(
  forward: Forward,
  block: Module,
  x: Tensor,
  closedOver: readonly (Tensor | null)[],
  body: BlockBodyOf<T>,
): T {
  const { stage } = forward;
  if (stage === null) return runWhole(forward, block, x, closedOver, body);
  const outputs = runWhole(forward, block, stage.enter(x), closedOver, body);
  const output = outputs instanceof Tensor ? outputs : outputs[0];
  if (output !== undefined) stage.leave(output);
  return outputs;
}

function runWhole<T extends Tensor | readonly Tensor[]>(
  forward: Forward,
  block: Module,
  x: Tensor,
  closedOver: readonly (Tensor | null)[],
  body: BlockBodyOf<T>,
): T {
  const { tape } = forward;
  const run = (input: Tensor, others: readonly (Tensor | null)[]): T =>
    tape.call(block.place, [input], () => withHooks(block, input, (given) => body(given, others)));
  const again: BlockBody<T> = ([input = x], others) => run(input, others);
  switch (forward.checkpointing.kind) {
    case 'none':
    case 'selective':
      return run(x, closedOver);
    case 'full':
      return checkpoint(tape, [x], closedOver, again);
    case 'segments':
      if (forward.segments === null) throw new Error('Segments are not set up.');
      return forward.segments.run(x, closedOver, again);
  }
}

/** peft's `enable_input_require_grads`: without it a checkpointed block of frozen layers would leave no graph. */
export function requireInputGradient(forward: Forward, embedded: Tensor): void {
  const { kind } = forward.checkpointing;
  if (forward.frozenBase && (kind === 'full' || kind === 'segments')) forward.tape.requireGradient(embedded);
}
