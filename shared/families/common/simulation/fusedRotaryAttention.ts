import { linear } from '../../../memory/operations/linear';
import type { Module } from '../../../memory/tape/module';
import type { Tensor } from '../../../memory/tape/tensor';
import type { SoftmaxAttention } from '../../../model/architecture';
import { attend, attentionForm } from './attention';
import { llamaNames } from './causalDecoder';
import type { AttentionContext } from './decoderAttention';
import { type RotaryCode, rotateQueryAndKey } from './rotary';

export const products = { up: 'dense_h_to_4h', down: 'dense_4h_to_h' };

export const names = {
  ...llamaNames,
  embedding: 'embed_in',
  norm: 'final_layer_norm',
};

/** Rotates a part of query and key [batch, heads, positions, d], attends, and projects to [batch, positions, hidden]. */
export function turnAndAttend(
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
