/**
 * Swin with a classifier: stages of blocks whose attention stays within windows, which every second block shifts; between stages
 * four neighbours are joined. Relative positions are a trained mask.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/swin/modeling_swin.py
 */
import { add, dropout } from '../../memory/operations/elementwise';
import {
  concatenate,
  copy,
  copyForward,
  meanOfPositions,
  reshape,
  view,
  viewWithGradientCopy,
} from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { crossEntropy } from '../../memory/operations/loss';
import { layerNorm } from '../../memory/operations/norms';
import { dropPath, dropPathOf } from '../../memory/operations/stochasticDepth';
import {
  type Grid,
  everySecond,
  pad,
  paddedTo,
  positionsOf,
  reorderWindows,
  roll,
  shiftMask,
} from '../../memory/operations/windows';
import { MissingPart, type Module } from '../../memory/tape/module';
import { hold, holdAll, last, release } from '../../memory/tape/tape';
import type { Tensor } from '../../memory/tape/tensor';
import type { Layer, Stack } from '../../model/architecture';
import type { AttentionOutputs } from '../common/simulation/attention';
import { dimension, firstStack, imagesOf, plainLayer } from '../common/simulation/expected';
import { patchEmbeddings } from '../common/simulation/patches';
import { towerMlp } from '../common/simulation/towerLayer';
import { type FamilyForward, type Forward, runBlock } from '../forward';
import { windowAttention } from './windowAttention';

/**
 * `SwinForImageClassification.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/swin/modeling_swin.py#L1012
 */
export const simulateSwin: FamilyForward = (forward) => {
  const { tape, root, architecture } = forward;
  const stack = firstStack(architecture);
  return tape.frame([], () => {
    const [, pooled] = holdAll(swinModel(forward, root.child('swin'), stack));
    return tape.as('logits', () => crossEntropy(hold(linear(root.child('classifier'), pooled)), null));
  });
};

/** The last hidden states [batch, positions, width] and their mean [batch, width]. */
function swinModel(forward: Forward, model: Module, stack: Stack): readonly [Tensor, Tensor] {
  const { tape } = forward;
  return tape.call(model.place, [], () => {
    const embedded = hold(embeddings(forward, model.child('embeddings'), stack));
    const encoded = hold(encode(forward, model.child('encoder'), stack, embedded));
    const output = hold(layerNorm(model.child('layernorm'), encoded, { input: false, gradient: true }));
    const [batch = 1, , width = 1] = output.shape;
    return [output, viewWithGradientCopy(meanOfPositions(output), [batch, width])];
  });
}

function embeddings(forward: Forward, module: Module, stack: Stack): Tensor {
  return forward.tape.call(module.place, [], () => {
    let hidden = hold(patchEmbeddings(forward, module.at('patch_embeddings.projection'), stack));
    hidden = hold(layerNorm(module.child('norm'), last(hidden)));
    const positions = module.optional('position_embeddings');
    if (positions !== null) hidden = hold(add(last(hidden), positions));
    return dropout(last(hidden), stack.dropout.embedding);
  });
}

function encode(forward: Forward, encoder: Module, stack: Stack, embedded: Tensor): Tensor {
  const side = Math.round(Math.sqrt(imagesOf(stack).patches));
  return forward.tape.call(encoder.place, [], () => {
    let hidden = embedded;
    let grid: Grid = { rows: side, columns: side };
    let before: readonly Tensor[] = [];
    let first = 0;
    for (const stage of encoder.child('layers').children) {
      const outputs = holdAll(runStage(forward, stage, stack, first, grid, hidden));
      for (const old of before) release(old);
      before = outputs;
      [hidden] = outputs;
      first += stage.child('blocks').children.length;
      if (stage.has('downsample'))
        grid = { rows: Math.ceil(grid.rows / 2), columns: Math.ceil(grid.columns / 2) };
    }
    return hidden;
  });
}

/** A stage's output [batch, positions, width], the same as an image, and eager attention's last weights. */
type StageOutputs = readonly [output: Tensor, asImage: Tensor, ...weights: Tensor[]];

/**
 * `SwinStage.forward`.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/swin/modeling_swin.py#L629
 */
function runStage(
  forward: Forward,
  stage: Module,
  stack: Stack,
  first: number,
  grid: Grid,
  x: Tensor,
): StageOutputs {
  // A stage is a checkpointed layer of checkpointed layers; segments are cut between blocks only.
  const run = (body: (input: Tensor) => StageOutputs): StageOutputs =>
    forward.checkpointing.kind === 'full'
      ? runBlock(forward, stage, x, [], body)
      : forward.tape.call(stage.place, [], () => body(x));
  return run((input) => {
    let hidden = input;
    let weights: Tensor | null = null;
    stage.child('blocks').children.forEach((block, index) => {
      const layer = stack.layers[first + index];
      if (layer === undefined) throw new MissingPart('The stages have more blocks than there are layers.');
      const rate = dropPathOf(stack.dropout.layer, first + index, stack.layers.length);
      const facts = { layer, grid, rate, shifts: index % 2 === 1 };
      const outputs: AttentionOutputs = runBlock(
        forward,
        block,
        index === 0 ? hidden : last(hidden),
        [],
        (given) => swinLayer(forward, block, stack, facts, given),
      );
      const [output, made = null] = holdAll(outputs);
      if (weights !== null) release(weights);
      weights = made;
      hidden = output;
    });
    const output = stage.has('downsample')
      ? hold(mergePatches(stage.child('downsample'), grid, hidden))
      : hidden;
    const asImage = hold(copyForward(output));
    return weights === null ? [output, asImage] : [output, asImage, weights];
  });
}

interface SwinFacts {
  readonly layer: Layer;
  readonly grid: Grid;
  readonly rate: number;
  /** Every second block of a stage shifts its windows, unless one window covers the grid. */
  readonly shifts: boolean;
}

function swinLayer(
  forward: Forward,
  block: Module,
  stack: Stack,
  { layer, grid, rate, shifts }: SwinFacts,
  x: Tensor,
): AttentionOutputs {
  const { mixer, feedForward } = plainLayer(layer);
  const { residual } = stack.dropout;
  const attention = block.child('attention');
  const whole = Math.min(grid.rows, grid.columns);
  const window = Math.min(windowOf(attention), whole);
  const isShifted = shifts && window < whole;
  const padded = paddedTo(grid, window);
  const [batch = 1, positions = 1, width = 1] = x.shape;
  let hidden = hold(layerNorm(block.child('layernorm_before'), x));
  hidden = hold(pad(last(hidden), padded));
  const windows = hold(reorderWindows(isShifted ? roll(hidden) : hidden, padded, window));
  const area = window * window;
  const mask = isShifted ? hold(shiftMask(hidden, padded, window)) : null;
  const inWindows = hold(view(windows, [(batch * positionsOf(padded)) / area, area, width]));
  const [attended, ...weights] = holdAll(windowAttention(forward, attention, mixer, inWindows, mask));
  const dropped = hold(dropout(attended, residual));
  const ordered = reorderWindows(view(dropped, [batch, positionsOf(padded), width]), padded, window);
  let merged = hold(isShifted ? roll(ordered) : ordered);
  if (positionsOf(padded) > positions) merged = hold(copy(last(merged), x.shape));
  const middle = hold(add(x, dropPath(merged, rate)));
  release(hidden);
  let inner = hold(layerNorm(block.child('layernorm_after'), middle));
  inner = hold(towerMlp(block.child('mlp'), feedForward, last(inner)));
  const output = add(dropout(inner, residual), middle);
  return [output, ...weights];
}

/** The window's side, of which the table has a row for each distance. */
function windowOf(attention: Module): number {
  const table = attention.at('relative_position_bias').parameter('relative_position_bias_table');
  return (Math.sqrt(dimension(table, 0)) + 1) / 2;
}

/**
 * `SwinPatchMerging`: four neighbours side by side, normed and projected to twice the width.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/swin/modeling_swin.py#L289
 */
function mergePatches(module: Module, grid: Grid, x: Tensor): Tensor {
  const even = paddedTo(grid, 2);
  const isEven = positionsOf(even) === positionsOf(grid);
  return module.tape.call(module.place, [x], () => {
    const image = hold(reshape(x, x.shape));
    const padded = isEven ? image : hold(pad(last(image), even));
    let hidden = hold(concatenate([0, 1, 2, 3].map(() => hold(everySecond(padded, even)))));
    hidden = hold(layerNorm(module.child('norm'), last(hidden)));
    return linear(module.child('reduction'), last(hidden));
  });
}
