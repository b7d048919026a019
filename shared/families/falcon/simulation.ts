/**
 * Falcon: query, key and value in one product without a bias of cuBLAS' own, one key-value head that is broadcast (7B) or
 * groups of heads that are copied for each query head (40B, 180B), a mask that is always written.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/falcon/modeling_falcon.py
 */
import { act } from '../../memory/operations/activations';
import { scaledDotProduct } from '../../memory/operations/attention';
import { add, addInPlace, cast, dropout, scaleInPlace } from '../../memory/operations/elementwise';
import { copy, copyForward, expand, pick, sliceOf, view } from '../../memory/operations/layout';
import { batchedProduct, weightProduct } from '../../memory/operations/linear';
import { normalize } from '../../memory/operations/norms';
import { softmax } from '../../memory/operations/softmax';
import type { Module } from '../../memory/tape/module';
import { hold, last, release } from '../../memory/tape/tape';
import { FP32, type Tensor } from '../../memory/tape/tensor';
import type { SoftmaxAttention } from '../../model/architecture';
import { type AttentionInputs, attentionForm } from '../common/simulation/attention';
import {
  type BlockContext,
  causalDecoderLoss,
  llamaDecoderCode,
  llamaNames,
} from '../common/simulation/causalDecoder';
import type { AttentionContext } from '../common/simulation/decoderAttention';
import { dimension, plainLayer } from '../common/simulation/expected';
import { rotateQueryAndKey } from '../common/simulation/rotary';
import type { FamilyForward, Forward } from '../forward';

/**
 * `FalconForCausalLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/falcon/modeling_falcon.py#L837
 */
export const simulateFalcon: FamilyForward = (forward) =>
  causalDecoderLoss(
    forward,
    falconBlock,
    { ...llamaNames, embedding: 'word_embeddings', layers: 'h', norm: 'ln_f' },
    { ...llamaDecoderCode, masks: 'written' },
  );

function falconBlock(context: BlockContext, x: Tensor): Tensor {
  const { block, layer, stack } = context;
  const { feedForward, mixer } = plainLayer(layer);
  const { placement } = layer;
  const { residual } = stack.dropout;
  const normed = (name: string, input: Tensor): Tensor =>
    hold(normalize(block.child(name), input, layer.norm));
  const two = block.has('ln_attn');
  const forAttention = normed(two ? 'ln_attn' : 'input_layernorm', x);
  const beside = two ? normed('ln_mlp', x) : forAttention;
  const attended = hold(falconAttention(context, block.child('self_attention'), mixer, forAttention));
  if (placement !== 'parallel') {
    const middle = hold(add(x, dropout(attended, mixer.dropout)));
    const fed = hold(
      falconMlp(block.child('mlp'), feedForward.activation, normed('post_attention_layernorm', middle)),
    );
    return add(middle, dropout(fed, residual));
  }
  const fed = hold(addInPlace(falconMlp(block.child('mlp'), feedForward.activation, beside), attended));
  return add(x, dropout(fed, residual));
}

function falconMlp(module: Module, activation: string, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    const inner = hold(act(activation, weightProduct(module.child('dense_h_to_4h'), x)));
    return weightProduct(module.child('dense_4h_to_h'), last(inner));
  });
}

function falconAttention(
  { alibi, forward, tables, mask }: AttentionContext,
  module: Module,
  attention: SoftmaxAttention,
  x: Tensor,
): Tensor {
  const { tape, batch, sequence } = forward;
  const { heads, headDim } = attention;
  return tape.call(module.place, [x], () => {
    const joined = hold(weightProduct(module.child('query_key_value'), x));
    const [flatQuery, flatKey, flatValue] = tape.frame([], () => splitJoined(joined, attention));
    const count = dimension(flatKey, 2);
    const inHeads = (part: Tensor, own: number, positionsFirst: boolean): Tensor => {
      const headed = hold(view(part, [batch, own, sequence, headDim]));
      headed.positionsFirst = positionsFirst;
      return headed;
    };
    const plainQuery = inHeads(flatQuery, heads, true);
    const plainKey = inHeads(flatKey, count, count > 1);
    const value = inHeads(flatValue, count, count > 1);
    // With ALiBi nothing is rotated.
    const [query, key] =
      alibi === null
        ? rotateQueryAndKey({ form: 'halves', parts: 'inside' }, plainQuery, plainKey, tables)
        : [plainQuery, plainKey];
    const inputs = { query, key, value, mask };
    const attended =
      forward.attention === 'eager'
        ? eagerAttention(attention, inputs, alibi, x.elementBytes)
        : kernelAttention(forward, attention, inputs, alibi);
    return weightProduct(module.child('dense'), attended);
  });
}

/** `scaled_dot_product_attention`, called without a wrapper; dropout is given to it with ALiBi only. */
function kernelAttention(
  forward: Forward,
  attention: SoftmaxAttention,
  inputs: AttentionInputs,
  alibi: Tensor | null,
): Tensor {
  const { query, key, mask } = inputs;
  const [batch = 1, heads = 1, sequence = 1, headDim = 1] = query.shape;
  const keyValueHeads = dimension(key, 1);
  // One head is broadcast without the kernel's knowledge, which only plain operations can do.
  const broadcast = keyValueHeads !== heads;
  const chosen = attentionForm(forward, { ...attention, keyValueHeads }, query.elementBytes, mask !== null);
  const form = broadcast || chosen === 'eager' ? 'math' : chosen;
  const probability = alibi === null ? 0 : attention.dropout;
  const call = { ...inputs, causal: mask === null, dropout: probability, broadcast };
  const output = scaledDotProduct(call, form);
  const joined = [batch, sequence, heads * headDim];
  return form === 'math' ? copyForward(output, joined) : view(output, joined);
}

/** `_split_heads`: [batch, positions, heads, d] of query, key and value; a list as index makes a copy. */
function splitJoined(joined: Tensor, attention: SoftmaxAttention): [Tensor, Tensor, Tensor] {
  const [batch = 1, sequence = 1] = joined.shape;
  const { heads, keyValueHeads, headDim } = attention;
  if (keyValueHeads === 1) {
    const all = hold(view(joined, [batch, sequence, heads + 2, headDim]));
    const query = hold(sliceOf(all, [batch, sequence, heads, headDim]));
    const key = hold(pick(all, [batch, sequence, 1, headDim]));
    return [query, key, hold(pick(all, [batch, sequence, 1, headDim]))];
  }
  if (keyValueHeads === heads) {
    const all = hold(view(joined, [batch, sequence, heads, 3 * headDim]));
    const part = (): Tensor => hold(sliceOf(all, [batch, sequence, heads, headDim]));
    return [part(), part(), part()];
  }
  const group = heads / keyValueHeads;
  const all = hold(view(joined, [batch, sequence, keyValueHeads * (group + 2), headDim]));
  const query = hold(sliceOf(all, [batch, sequence, heads, headDim]));
  const ofGroups = (): Tensor => hold(pick(all, [batch, sequence, keyValueHeads, headDim]));
  const [key, value] = [ofGroups(), ofGroups()];
  const spread = (part: Tensor): Tensor => hold(expand(part, [batch, sequence, heads, headDim]));
  const [everyKey, everyValue] = [spread(key), spread(value)];
  const copied = (part: Tensor): Tensor => hold(copyForward(part));
  return [copied(query), copied(everyKey), copied(everyValue)];
}

/**
 * Attention written out. Without ALiBi: scores scaled in place, the mask added, softmax in the scores' own type, no dropout. With it: the
 * scores in fp32, ALiBi added before they are scaled, softmax in the hidden states' type, dropout.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/falcon/modeling_falcon.py#L311
 */
function eagerAttention(
  attention: SoftmaxAttention,
  { query, key, value, mask }: AttentionInputs,
  alibi: Tensor | null,
  hiddenBytes: number,
): Tensor {
  const [batch = 1, heads = 1, sequence = 1, headDim = 1] = query.shape;
  const keys = dimension(key, 2);
  const spread = (x: Tensor): Tensor => (x.shape[1] === heads ? x : expand(x, [batch, heads, keys, headDim]));
  const pairs = [batch, heads, sequence, keys];
  const scores = hold(
    batchedProduct(query, spread(key), pairs, { left: query.positionsFirst, right: 'copy' }),
  );
  const masked = (logits: Tensor): Tensor => (mask === null ? logits : add(logits, mask));
  let weights: Tensor;
  if (alibi === null) {
    const scaled = hold(scaleInPlace(last(scores)));
    weights = hold(softmax(masked(scaled)));
    release(scaled);
  } else {
    const wide = hold(cast(scores, FP32));
    const ofHeads = query.tape.share(alibi, [batch, heads, 1, keys]);
    const logits = hold(scaleInPlace(add(wide, ofHeads)));
    const probabilities = hold(softmax(cast(masked(logits), hiddenBytes), 'given'));
    weights = hold(dropout(last(probabilities), attention.dropout));
  }
  const output = batchedProduct(weights, spread(value), [batch, heads, sequence, headDim], {
    left: false,
    right: 'copy',
  });
  return hold(copy(output, [batch, sequence, heads * headDim]));
}
