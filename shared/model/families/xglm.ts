/** XGLM and BioGPT: BART's decoder alone, without cross attention. */
import type { Layer } from '../architecture';
import { allBias, softmaxAttention } from '../attention';
import type { Backbone } from '../backbone';
import type { Fields } from '../fields';
import { preNormLayer } from '../layers';
import { embedding, list, norm } from '../nodes';
import { bartNorm, sideBlock } from './bart';
import { plainDecoder, plainMlp } from './plainDecoder';

function bartDecoder(
  fields: Fields,
  family: string,
  extraRows: number | null,
  head: { readonly base: string; readonly name: string },
  dropout: number,
): Backbone {
  const hidden = fields.size('hidden_size');
  const rows = fields.sizeOr('max_position_embeddings', 1024) + (extraRows ?? 0);
  const attention = softmaxAttention(fields, hidden, {
    bias: allBias,
    dropout: fields.number('attention_dropout', 0.1),
  });
  const layer: Layer = preNormLayer(attention, plainMlp(fields, 'gelu'), bartNorm);
  return plainDecoder(fields, {
    family,
    positions: extraRows === null ? { kind: 'sinusoidal', rows } : { kind: 'learned', rows },
    norm: bartNorm,
    layerOf: () => layer,
    blockOf: (facts) => sideBlock(facts, hidden),
    children: (blocks, _hidden, vocabulary) => [
      embedding('embed_tokens', vocabulary, hidden),
      ...(extraRows === null ? [] : [embedding('embed_positions', rows, hidden)]),
      list('layers', blocks),
      norm('layer_norm', hidden, bartNorm),
    ],
    tokenTable: 'embed_tokens',
    head: { ...head, tied: true },
    dropout: { embedding: dropout, residual: dropout, layer: fields.number('layerdrop', 0) },
  });
}

export const xglm = (fields: Fields): Backbone =>
  bartDecoder(fields, 'xglm', null, { base: 'model', name: 'lm_head' }, fields.number('dropout', 0.1));

export const bioGpt = (fields: Fields): Backbone =>
  bartDecoder(
    fields,
    'biogpt',
    2,
    { base: 'biogpt', name: 'output_projection' },
    fields.number('hidden_dropout_prob', 0.1),
  );
