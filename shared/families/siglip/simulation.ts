/**
 * SigLIP: two towers as CLIP's, without causality or class token; the image is pooled by a learned query that attends to the
 * patches, and each pair of a text and an image is judged by itself.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/siglip/modeling_siglip.py
 */
import { add, exponential, multiply, negate } from '../../memory/operations/elementwise';
import { firstPosition } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { layerNorm } from '../../memory/operations/norms';
import { allPairs, divide, lengthOfRows, logSigmoid, sumOfRows } from '../../memory/operations/similarity';
import type { Module } from '../../memory/tape/module';
import { hold, holdAll, last, release } from '../../memory/tape/tape';
import { FP32, type Tensor } from '../../memory/tape/tensor';
import type { Stack } from '../../model/architecture';
import { bidirectionalMask } from '../common/simulation/masks';
import { imageEmbeddings, textEmbeddings } from '../common/simulation/towerEmbeddings';
import { towerEncoder } from '../common/simulation/towerLayer';
import { towersOf } from '../common/simulation/towers';
import { type FamilyForward, type Forward, requireInputGradient } from '../forward';
import { attentionPooling } from './attentionPooling';

/**
 * `SiglipModel.forward` with `return_loss`: the loss of logits [texts, images].
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/siglip/modeling_siglip.py#L647
 */
export const simulateSiglip: FamilyForward = (forward) => {
  const { tape, root } = forward;
  const { text, image, textTokens } = towersOf(forward);
  return tape.frame([], () => {
    const [, images] = holdAll(imageTower(forward, root.child('vision_model'), image));
    const [, texts] = holdAll(textTower(forward, root.child('text_model'), text, textTokens));
    return tape.as('logits', () => {
      const imageDirections = hold(divide(images, lengthOfRows(images)));
      const textDirections = hold(divide(texts, lengthOfRows(texts)));
      const pairs = hold(allPairs(textDirections, imageDirections));
      const scaled = multiply(last(pairs), exponential(root.parameter('logit_scale')));
      return pairwiseLoss(hold(add(scaled, root.parameter('logit_bias'))));
    });
  });
};

/** The log-sigmoid of each pair's logit, its sign turned where text and image do not belong together. */
function pairwiseLoss(logits: Tensor): Tensor {
  const { tape, shape, elementBytes } = logits;
  hold(tape.create(shape, FP32));
  const ones = tape.create(shape, elementBytes);
  const negated = tape.create(shape, elementBytes);
  release(ones);
  const doubled = tape.create(shape, FP32);
  const signs = hold(tape.create(shape, FP32));
  release(doubled);
  release(negated);
  const likelihood = hold(logSigmoid(multiply(signs, logits)));
  const negative = hold(negate(sumOfRows(likelihood, false)));
  return meanOf(negative);
}

/** `x.mean()`: keeps nothing; backward divides the gradient, spread as a view. */
function meanOf(x: Tensor): Tensor {
  const { tape, shape, elementBytes } = x;
  return tape.apply([x], [], [], elementBytes, () => [tape.create(shape, elementBytes)]);
}

/** A tower's hidden states [batch, positions, width] and the pooled one [batch, width]. */
type TowerOutputs = readonly [hidden: Tensor, pooled: Tensor];

function imageTower(forward: Forward, model: Module, stack: Stack): TowerOutputs {
  const { tape } = forward;
  return tape.call(model.place, [], (): TowerOutputs => {
    const embedded = hold(imageEmbeddings(forward, model.child('embeddings'), stack));
    requireInputGradient(forward, embedded);
    const encoded = hold(towerEncoder(forward, model.child('encoder'), stack, embedded, null));
    const hidden = hold(
      layerNorm(model.child('post_layernorm'), last(encoded), { input: false, gradient: true }),
    );
    return [hidden, attentionPooling(forward, model.child('head'), stack, hidden)];
  });
}

function textTower(forward: Forward, model: Module, stack: Stack, length: number): TowerOutputs {
  const { tape } = forward;
  return tape.call(model.place, [], (): TowerOutputs => {
    const embedded = hold(textEmbeddings(forward, model.child('embeddings'), length));
    requireInputGradient(forward, embedded);
    bidirectionalMask({ ...forward, sequence: length });
    const encoded = hold(towerEncoder(forward, model.child('encoder'), stack, embedded, null));
    const hidden = hold(layerNorm(model.child('final_layer_norm'), last(encoded)));
    // The last position: as the first, a view.
    return [hidden, linear(model.child('head'), hold(firstPosition(hidden)))];
  });
}
