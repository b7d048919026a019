/**
 * BEiT with a classifier: ViT with a scale learned for each branch, branches left out at random, and relative positions added to
 * the scores where the config wants them; the classifier reads the patches' mean.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/beit/modeling_beit.py
 */
import { add, dropout, multiply } from '../../memory/operations/elementwise';
import {
  concatenateRows,
  expand,
  firstPosition,
  meanOfPositions,
  sliceOf,
} from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { crossEntropy } from '../../memory/operations/loss';
import { layerNorm } from '../../memory/operations/norms';
import { dropPath, dropPathOf } from '../../memory/operations/stochasticDepth';
import type { Module } from '../../memory/tape/module';
import { hold, holdAll, last, release } from '../../memory/tape/tape';
import type { Tensor } from '../../memory/tape/tensor';
import type { Layer, Stack } from '../../model/architecture';
import { runBlocks } from '../common/simulation/blocks';
import { type EncoderAttentionNames, attentionModule, outputOf } from '../common/simulation/encoderAttention';
import { firstStack, plainLayer } from '../common/simulation/expected';
import { patchEmbeddings } from '../common/simulation/patches';
import { towerMlp } from '../common/simulation/towerLayer';
import type { FamilyForward, Forward } from '../forward';
import { relativePositionBias } from './imageBias';

const attentionNames: EncoderAttentionNames = {
  query: 'q_proj',
  key: 'k_proj',
  value: 'v_proj',
  output: 'o_proj',
  eagerSoftmax: 'fp32',
};

/**
 * `BeitForImageClassification.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/beit/modeling_beit.py#L675
 */
export const simulateBeit: FamilyForward = (forward) => {
  const { tape, root, architecture } = forward;
  const stack = firstStack(architecture);
  return tape.frame([], () => {
    const [, pooled] = holdAll(beitModel(forward, root.child('beit'), stack));
    return tape.as('logits', () => crossEntropy(hold(linear(root.child('classifier'), pooled)), null));
  });
};

/** The last hidden states and what is pooled of them. */
function beitModel(forward: Forward, model: Module, stack: Stack): readonly [Tensor, Tensor] {
  const { tape } = forward;
  return tape.call(model.place, [], () => {
    const embedded = hold(embeddings(forward, model.child('embeddings'), stack));
    const shared = model.has('shared_position_bias')
      ? hold(relativePositionBias(model.child('shared_position_bias'), stack))
      : null;
    const { layers } = stack;
    const run = {
      blocks: model.child('layers'),
      layers,
      hidden: embedded,
      named: 'first',
      shared: [shared],
    } as const;
    const hidden = runBlocks(forward, run, (block, layer, x, [bias = null], index) => {
      const rate = dropPathOf(stack.dropout.layer, index, layers.length);
      return beitLayer(forward, block, layer, stack, rate, bias, x);
    });
    const output = stack.finalNorm === null ? hidden : hold(layerNorm(model.child('layernorm'), hidden));
    return [output, pool(model.child('pooler'), output)];
  });
}

function embeddings(forward: Forward, module: Module, stack: Stack): Tensor {
  const { tape, batch } = forward;
  return tape.call(module.place, [], () => {
    const patches = hold(patchEmbeddings(forward, module.at('patch_embeddings.projection'), stack));
    const token = hold(expand(module.parameter('cls_token'), [batch, 1, stack.hiddenSize]));
    let hidden = hold(concatenateRows([token, last(patches)]));
    const positions = module.optional('position_embeddings');
    if (positions !== null) hidden = hold(add(last(hidden), positions));
    return dropout(last(hidden), stack.dropout.embedding);
  });
}

/** The norm of the patches' mean, or the class token. */
function pool(module: Module, hidden: Tensor): Tensor {
  const [batch = 1, positions = 1, width = 1] = hidden.shape;
  return module.tape.call(module.place, [], () =>
    module.has('layernorm')
      ? layerNorm(module.child('layernorm'), meanOfPositions(sliceOf(hidden, [batch, positions - 1, width])))
      : firstPosition(hidden),
  );
}

function beitLayer(
  forward: Forward,
  block: Module,
  layer: Layer,
  stack: Stack,
  rate: number,
  shared: Tensor | null,
  x: Tensor,
): Tensor {
  const { mixer, feedForward } = plainLayer(layer);
  const { residual } = stack.dropout;
  const own = block.has('relative_position_bias')
    ? hold(relativePositionBias(block.child('relative_position_bias'), stack))
    : null;
  const bias = own !== null && shared !== null ? hold(add(own, shared)) : (own ?? shared);
  const normed = hold(layerNorm(block.child('layernorm_before'), x));
  // Eager attention's weights have a name until the layer returns.
  const attended = outputOf(
    attentionModule(forward, block.child('attention'), mixer, attentionNames, normed, bias),
  );
  release(normed);
  const branch = hold(scaled(block, 'lambda_1', residual, attended));
  const middle = hold(add(dropPath(branch, rate), x));
  release(branch);
  const inner = hold(layerNorm(block.child('layernorm_after'), middle));
  const fed = hold(towerMlp(block.child('mlp'), feedForward, last(inner)));
  return add(dropPath(hold(scaled(block, 'lambda_2', residual, fed)), rate), middle);
}

/** Dropout, and the learned scale where there is one. */
function scaled(block: Module, name: string, residualDropout: number, branch: Tensor): Tensor {
  const hidden = hold(dropout(last(branch), residualDropout));
  const factor = block.optional(name);
  return factor === null ? hidden : multiply(factor, last(hidden));
}
