/**
 * CLIP: a causal text tower and an image tower, whose pooled outputs are projected into one space and compared, each text with
 * each image of the micro-batch.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/clip/modeling_clip.py
 */
import { add, exponential, multiply, scale } from '../../memory/operations/elementwise';
import { firstPosition, pickRows } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { layerNorm } from '../../memory/operations/norms';
import { allPairs, diagonalCrossEntropy, divide, writtenLength } from '../../memory/operations/similarity';
import type { Module } from '../../memory/tape/module';
import { hold, holdAll, last, release } from '../../memory/tape/tape';
import { BOOL, INT32, INT64, type Tensor } from '../../memory/tape/tensor';
import type { Stack } from '../../model/architecture';
import { heldMask } from '../common/simulation/positions';
import { imageEmbeddings, textEmbeddings } from '../common/simulation/towerEmbeddings';
import { towerEncoder } from '../common/simulation/towerLayer';
import { towersOf } from '../common/simulation/towers';
import { type FamilyForward, type Forward, requireInputGradient } from '../forward';

/**
 * `CLIPModel.forward` with `return_loss`: the loss of logits [texts, images].
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/clip/modeling_clip.py#L651
 */
export const simulateClip: FamilyForward = (forward) => {
  const { tape, root } = forward;
  const { text, image, textTokens } = towersOf(forward);
  return tape.frame([], () => {
    // Both towers' outputs keep all their hidden states.
    const images = projected(
      root.child('visual_projection'),
      imageTower(forward, root.child('vision_model'), image),
    );
    const texts = projected(
      root.child('text_projection'),
      textTower(forward, root.child('text_model'), text, textTokens),
    );
    return tape.as('logits', () => {
      const imageDirections = hold(divide(images, writtenLength(images)));
      const textDirections = hold(divide(texts, writtenLength(texts)));
      let logits = hold(allPairs(textDirections, imageDirections));
      logits = hold(multiply(last(logits), exponential(root.parameter('logit_scale'))));
      const ofTexts = hold(diagonalCrossEntropy(logits, false));
      const ofImages = hold(diagonalCrossEntropy(logits, true));
      return scale(add(ofTexts, ofImages));
    });
  });
};

/** A tower's hidden states [batch, positions, width] and the pooled one [batch, width]. */
type TowerOutputs = readonly [hidden: Tensor, pooled: Tensor];

/** The pooled state, which is the second of a tower's outputs, in the common space; all outputs keep their names. */
function projected(projection: Module, outputs: TowerOutputs): Tensor {
  const [, pooled] = holdAll(outputs);
  const made = hold(linear(projection, pooled));
  release(pooled);
  return made;
}

function imageTower(forward: Forward, model: Module, stack: Stack): TowerOutputs {
  const { tape } = forward;
  return tape.call(model.place, [], (): TowerOutputs => {
    let hidden = hold(imageEmbeddings(forward, model.child('embeddings'), stack));
    requireInputGradient(forward, hidden);
    hidden = hold(layerNorm(model.child('pre_layrnorm'), last(hidden)));
    const encoded = hold(towerEncoder(forward, model.child('encoder'), stack, hidden, null));
    const token = hold(firstPosition(encoded));
    return [encoded, layerNorm(model.child('post_layernorm'), last(token), { input: true, gradient: false })];
  });
}

function textTower(forward: Forward, model: Module, stack: Stack, length: number): TowerOutputs {
  const { tape } = forward;
  return tape.call(model.place, [], (): TowerOutputs => {
    const embedded = hold(textEmbeddings(forward, model.child('embeddings'), length));
    requireInputGradient(forward, embedded);
    const mask = heldMask({ ...forward, sequence: length }, forward.attention === 'eager');
    const encoded = hold(towerEncoder(forward, model.child('encoder'), stack, embedded, mask));
    const hidden = hold(layerNorm(model.child('final_layer_norm'), last(encoded)));
    return [hidden, endOfText(hidden)];
  });
}

/** The state at each text's first end token, found by comparing all tokens with it. */
function endOfText(hidden: Tensor): Tensor {
  const { tape, shape } = hidden;
  const [batch = 1, length = 1, width = 1] = shape;
  const samples = tape.create([batch], INT64);
  const narrow = tape.create([batch, length], INT32);
  const isEnd = tape.create([batch, length], BOOL);
  release(narrow);
  const asNumbers = tape.create([batch, length], INT32);
  release(isEnd);
  const ends = tape.create([batch], INT64);
  release(asNumbers);
  return pickRows(hidden, [samples, ends], [batch, width]);
}
