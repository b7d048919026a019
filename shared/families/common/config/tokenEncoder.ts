import type { Layer, Norm, Stack } from '../../../model/architecture';
import { allBias, softmaxAttention } from '../../../model/attention';
import { tokenInputs } from '../../../model/facts';
import { gatedMlp } from '../../../model/feedForward';
import type { ConfigFields } from '../../../model/configFields';
import { layerNorm } from '../../../model/norms';
import { bertDropout } from '../../bert/config';

interface EncoderFacts {
  readonly hiddenSize: number;
  readonly norm: Norm;
  readonly layer: Layer;
}

/** Facts of a block with biases everywhere and norms after each sum. */
export function bertFacts(
  fields: ConfigFields,
  defaults: { activation: string; dropout: number },
): EncoderFacts {
  const hiddenSize = fields.size('hidden_size');
  return {
    hiddenSize,
    norm: layerNorm,
    layer: {
      mixer: softmaxAttention(fields, hiddenSize, {
        bias: allBias,
        causal: false,
        dropout: fields.number('attention_dropout', defaults.dropout),
      }),
      cross: null,
      feedForward: gatedMlp(fields, {
        gated: false,
        bias: true,
        activation: fields.text('hidden_act', defaults.activation),
        width: fields.has('intermediate_size') ? fields.size('intermediate_size') : fields.size('hidden_dim'),
      }),
      norm: layerNorm,
      placement: 'post',
      norms: 2,
    },
  };
}

export function widthOf(layer: Layer): number {
  return layer.feedForward.kind === 'mlp' ? layer.feedForward.width : 0;
}

/** The stack's facts that these encoders share: a table of tokens and one of positions. */
export function tokenStack(
  fields: ConfigFields,
  facts: EncoderFacts,
  path: string,
  layers: readonly Layer[],
  embeddingSize: number,
): Stack {
  const rows = fields.size('max_position_embeddings');
  return {
    role: 'encoder',
    path,
    hiddenSize: facts.hiddenSize,
    inputs: tokenInputs(fields.size('vocab_size'), embeddingSize, { norm: facts.norm }),
    positions: { kind: 'learned' },
    layers,
    finalNorm: null,
    maxPositions: rows,
    dropout: bertDropout(fields),
  };
}
