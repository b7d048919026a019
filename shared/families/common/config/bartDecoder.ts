import type { Layer, Positions } from '../../../model/architecture';
import { allBias, softmaxAttention } from '../../../model/attention';
import type { Backbone } from '../../../model/backbone';
import type { ConfigFields } from '../../../model/configFields';
import { preNormLayer } from '../../../model/layers';
import type { ModuleNode } from '../../../model/modules';
import { embedding, list, norm } from '../../../model/nodes';
import { layerNorm } from '../../../model/norms';
import { sideBlock } from '../../bart/config';
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

export function bartDecoder(fields: ConfigFields, style: DecoderStyle): Backbone {
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
export const offsetRows = 2;
