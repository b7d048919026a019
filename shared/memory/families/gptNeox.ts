/**
 * GPT-NeoX (Pythia) and Persimmon: query, key and value in one product, head by head; a part of each head is rotated.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/models/gpt_neox/modeling_gpt_neox.py
 */
import { sliceOf, split, view, viewWithGradientCopy } from '../operations/layout';
import { linear } from '../operations/linear';
import { layerNorm } from '../operations/norms';
import { hold, last } from '../tape/tape';
import type { FamilyForward } from './context';
import { attend, attentionForm } from './parts/attention';
import { causalDecoderLoss, llamaNames } from './parts/causalDecoder';
import type { AttentionForward } from './parts/decoderAttention';
import { decoderBlock, llamaBlockCode } from './parts/decoderBlock';
import { rotateQueryAndKey } from './parts/rotary';

const products = { up: 'dense_h_to_4h', down: 'dense_4h_to_h' };

const names = {
  ...llamaNames,
  model: 'gpt_neox',
  embedding: 'embed_in',
  norm: 'final_layer_norm',
};

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
const neoxAttention: AttentionForward = ({ forward, tables, mask }, module, attention, x) => {
  const { tape, batch, sequence } = forward;
  const { heads, headDim } = attention;
  return tape.call(module.place, [x], () => {
    const joined = linear(module.child('query_key_value'), x);
    const perHead = hold(viewWithGradientCopy(joined, [batch, heads, sequence, 3 * headDim]));
    const [query, key, value] = split(perHead, [headDim, headDim, headDim]).map((part) => hold(part));
    if (query === undefined || key === undefined || value === undefined) throw new Error('Three parts.');
    for (const part of [query, key, value]) part.positionsFirst = heads > 1;
    const [turnedQuery, turnedKey] = rotateQueryAndKey(
      { form: 'halves', parts: 'inside' },
      query,
      key,
      tables,
    );
    const form = attentionForm(forward, attention, turnedQuery.elementBytes, mask !== null);
    const output = attend(form, attention, turnedQuery, turnedKey, value, mask);
    return linear(module.child('dense'), output);
  });
};

/** Persimmon: the same joined product, with each head's query and key normed before they are rotated. */
export const persimmonLoss: FamilyForward = (forward) =>
  causalDecoderLoss(
    forward,
    decoderBlock({ ...llamaBlockCode, dropout: 'mlp', attend: persimmonAttention, mlp: products }),
    { ...llamaNames, norm: 'final_layernorm' },
  );

/** `PersimmonAttention.forward`: query, key and value are picked out of each head. */
const persimmonAttention: AttentionForward = ({ forward, tables, mask }, module, attention, x) => {
  const { tape, batch, sequence } = forward;
  const { heads, headDim, queryKeyNorm } = attention;
  return tape.call(module.place, [x], () => {
    const joined = hold(linear(module.child('query_key_value'), x));
    const perHead = hold(view(joined, [batch, sequence, heads, 3, headDim]));
    const parts = [0, 1, 2].map(() => hold(sliceOf(perHead, [batch, sequence, heads, headDim])));
    const [query, key, value] = parts.map((part, index) => {
      const name = index === 0 ? 'q_layernorm' : 'k_layernorm';
      const normed =
        queryKeyNorm === null || index === 2
          ? part
          : hold(layerNorm(module.child(name), part, { input: true, gradient: true }));
      const headed = hold(view(last(normed), [batch, heads, sequence, headDim]));
      headed.positionsFirst = heads > 1;
      return headed;
    });
    if (query === undefined || key === undefined || value === undefined) throw new Error('Three parts.');
    const [turnedQuery, turnedKey] = rotateQueryAndKey(
      { form: 'halves', parts: 'outside' },
      query,
      key,
      tables,
    );
    const form = attentionForm(forward, attention, turnedQuery.elementBytes, mask !== null);
    const output = attend(form, attention, turnedQuery, turnedKey, value, mask);
    return linear(module.child('dense'), output);
  });
};
