/**
 * GPT-NeoX (Pythia) and Persimmon: query, key and value in one product, head by head; a part of each head is rotated.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt_neox/modeling_gpt_neox.py
 */
import type { SoftmaxAttention } from '../../model/architecture';
import { sliceOf, split, view, viewWithGradientCopy } from '../operations/layout';
import { linear } from '../operations/linear';
import { layerNorm } from '../operations/norms';
import type { Module } from '../tape/module';
import { hold, holdAll, last } from '../tape/tape';
import type { Tensor } from '../tape/tensor';
import type { FamilyForward } from './context';
import { attend, attentionForm, type AttentionOutputs } from './parts/attention';
import { causalDecoderLoss, llamaNames } from './parts/causalDecoder';
import type { AttentionContext, AttentionForward } from './parts/decoderAttention';
import { decoderBlock, llamaBlockCode } from './parts/decoderBlock';
import { type RotaryCode, rotateQueryAndKey } from './parts/rotary';

const products = { up: 'dense_h_to_4h', down: 'dense_4h_to_h' };

const names = {
  ...llamaNames,
  embedding: 'embed_in',
  norm: 'final_layer_norm',
};

/**
 * `GPTNeoXForCausalLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt_neox/modeling_gpt_neox.py#L387
 */
export const gptNeoxLoss: FamilyForward = (forward) =>
  causalDecoderLoss(
    forward,
    decoderBlock({
      ...llamaBlockCode,
      sum: 'branches-first',
      attention: 'attention',
      attend: neoxAttention,
      mlp: products,
    }),
    names,
  );

/** `GPTNeoXAttention.forward`: heads of 3 · d come first, then each is cut into query, key and value. */
const neoxAttention: AttentionForward = (context, module, attention, x) => {
  const { tape, batch, sequence } = context.forward;
  const { heads, headDim } = attention;
  return tape.call(module.place, [x], (): AttentionOutputs => {
    const joined = linear(module.child('query_key_value'), x);
    const perHead = hold(viewWithGradientCopy(joined, [batch, heads, sequence, 3 * headDim]));
    const [query, key, value] = holdAll(split(perHead, [headDim, headDim, headDim]));
    for (const part of [query, key, value]) part.positionsFirst = heads > 1;
    return [turnAndAttend(context, module, attention, 'inside', [query, key, value])];
  });
};

/** Rotates a part of query and key [batch, heads, positions, d], attends, and projects to [batch, positions, hidden]. */
function turnAndAttend(
  { forward, tables, mask }: AttentionContext,
  module: Module,
  attention: SoftmaxAttention,
  parts: RotaryCode['parts'],
  [plainQuery, plainKey, value]: readonly [Tensor, Tensor, Tensor],
): Tensor {
  const [query, key] = rotateQueryAndKey({ form: 'halves', parts }, plainQuery, plainKey, tables);
  const form = attentionForm(forward, attention, query.elementBytes, mask !== null);
  return linear(module.child('dense'), attend(form, attention, { query, key, value, mask }));
}

/**
 * `PersimmonForCausalLM.forward` with labels: the loss. The same joined product, with each head's query and key normed before they are
 * rotated.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/persimmon/modeling_persimmon.py#L456
 */
export const persimmonLoss: FamilyForward = (forward) =>
  causalDecoderLoss(
    forward,
    decoderBlock({ ...llamaBlockCode, dropout: 'mlp', attend: persimmonAttention, mlp: products }),
    { ...llamaNames, norm: 'final_layernorm' },
  );

/** `PersimmonAttention.forward`: query, key and value are picked out of each head. */
const persimmonAttention: AttentionForward = (context, module, attention, x) => {
  const { tape, batch, sequence } = context.forward;
  const { heads, headDim, queryKeyNorm } = attention;
  return tape.call(module.place, [x], (): AttentionOutputs => {
    const joined = hold(linear(module.child('query_key_value'), x));
    const perHead = hold(view(joined, [batch, sequence, heads, 3, headDim]));
    const pick = (): Tensor => hold(sliceOf(perHead, [batch, sequence, heads, headDim]));
    const [plainQuery, plainKey, plainValue] = [pick(), pick(), pick()];
    const inHeads = (part: Tensor): Tensor => {
      const headed = hold(view(last(part), [batch, heads, sequence, headDim]));
      headed.positionsFirst = heads > 1;
      return headed;
    };
    const normed = (name: string, part: Tensor): Tensor =>
      queryKeyNorm === null
        ? part
        : hold(layerNorm(module.child(name), part, { input: true, gradient: true }));
    const query = inHeads(normed('q_layernorm', plainQuery));
    const key = inHeads(normed('k_layernorm', plainKey));
    const value = inHeads(plainValue);
    return [turnAndAttend(context, module, attention, 'outside', [query, key, value])];
  });
};
