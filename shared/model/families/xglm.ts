/** XGLM and BioGPT: BART's decoder alone, without cross attention. */
import type { Layer, Positions } from '../architecture';
import { allBias, softmaxAttention } from '../attention';
import type { Backbone } from '../backbone';
import type { Fields } from '../fields';
import { preNormLayer } from '../layers';
import type { ModuleNode } from '../modules';
import { embedding, floatBuffer, group, list, norm, withBuffers } from '../nodes';
import { layerNorm } from '../norms';
import { sideBlock } from './bart';
import { plainDecoder, plainMlp } from './plainDecoder';

interface DecoderStyle {
  readonly family: string;
  readonly positions: Positions;
  /** The module that gives positions' rows. */
  readonly positionTable: ModuleNode;
  readonly head: { readonly base: string; readonly name: string };
  /** Dropout of embeddings and of what each branch gives. */
  readonly dropout: number;
}

function bartDecoder(fields: Fields, style: DecoderStyle): Backbone {
  const hidden = fields.size('hidden_size');
  const { dropout, family, head, positions, positionTable } = style;
  const attention = softmaxAttention(fields, hidden, {
    bias: allBias,
    dropout: fields.number('attention_dropout', 0.1),
  });
  const layer: Layer = preNormLayer(attention, plainMlp(fields, 'gelu'), layerNorm);
  return plainDecoder(fields, {
    family,
    positions,
    norm: layerNorm,
    layerOf: () => layer,
    blockOf: (facts) => sideBlock(facts, hidden),
    children: (blocks, _hidden, vocabulary) => [
      embedding('embed_tokens', vocabulary, hidden),
      positionTable,
      list('layers', blocks),
      norm('layer_norm', hidden, layerNorm),
    ],
    tokenTable: 'embed_tokens',
    embeddingScale: fields.flag('scale_embedding', true) ? Math.sqrt(hidden) : null,
    head: { ...head, tied: true },
    dropout: { embedding: dropout, residual: dropout, layer: fields.number('layerdrop', 0) },
  });
}

/**
 * Rows of a table in front of the first position, in XGLM's table of sines and in BioGPT's learned one.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/xglm/modeling_xglm.py#L53
 */
const offsetRows = 2;

/** XGLM: positions are sines, kept as a buffer. */
export function xglm(fields: Fields): Backbone {
  const rows = fields.sizeOr('max_position_embeddings', 2048);
  const sines = floatBuffer('weights', rows + offsetRows, fields.size('hidden_size'));
  return bartDecoder(fields, {
    family: 'xglm',
    positions: { kind: 'sinusoidal' },
    positionTable: withBuffers(group('embed_positions', []), [sines]),
    head: { base: 'model', name: 'lm_head' },
    dropout: fields.number('dropout', 0.1),
  });
}

/** BioGPT: positions are learned. */
export function bioGpt(fields: Fields): Backbone {
  const rows = fields.sizeOr('max_position_embeddings', 1024) + offsetRows;
  return bartDecoder(fields, {
    family: 'biogpt',
    positions: { kind: 'learned' },
    positionTable: embedding('embed_positions', rows, fields.size('hidden_size')),
    head: { base: 'biogpt', name: 'output_projection' },
    dropout: fields.number('hidden_dropout_prob', 0.1),
  });
}
