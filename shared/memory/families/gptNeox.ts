/**
 * GPT-NeoX (Pythia) and Persimmon: query, key and value in one product, head by head; a part of each head is rotated.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/models/gpt_neox/modeling_gpt_neox.py
 */
import { split, viewWithGradientCopy } from '../operations/layout';
import { linear } from '../operations/linear';
import { hold } from '../tape/tape';
import type { FamilyForward } from './context';
import { attend, attentionForm } from './parts/attention';
import { causalDecoderLoss, llamaNames } from './parts/causalDecoder';
import type { AttentionForward } from './parts/decoderAttention';
import { decoderBlock, llamaBlockCode } from './parts/decoderBlock';
import { rotateQueryAndKey } from './parts/rotary';

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
      mlp: { up: 'dense_h_to_4h', down: 'dense_4h_to_h' },
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
