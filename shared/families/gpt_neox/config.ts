import {
  type AttentionNames,
  allBias,
  attentionNode,
  llamaAttention,
  noBias,
  softmaxAttention,
} from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { ordinaryParts } from '../../model/layers';
import { block, embedding, list, norm, rotary } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { neoxMlp } from '../common/config/neoxMlp';
import { layerFacts, plainDecoder, plainMlp } from '../common/config/plainDecoder';

const neoxAttention: AttentionNames = {
  ...llamaAttention,
  module: 'attention',
  fused: 'query_key_value',
  output: 'dense',
};

/** GPT-NeoX (Pythia, RedPajama, Dolly): two norms that may run side by side, a quarter of each head rotated. */
export function readGptNeoX(fields: ConfigFields): Backbone {
  const bias = fields.flag('attention_bias', true);
  const attention = softmaxAttention(fields, fields.size('hidden_size'), {
    bias: bias ? allBias : noBias,
    projection: 'fused',
  });
  const positions = ropePositions(fields, attention.headDim, { share: 0.25 });
  const facts = layerFacts(
    attention,
    plainMlp(fields, 'gelu'),
    layerNorm,
    fields.flag('use_parallel_residual', true),
  );
  return plainDecoder(fields, {
    family: 'gpt_neox',
    positions,
    norm: layerNorm,
    layerOf: () => facts,
    blockOf: (layer, hidden) => {
      const parts = ordinaryParts(layer);
      return block([
        norm('input_layernorm', hidden, layerNorm),
        norm('post_attention_layernorm', hidden, layerNorm),
        attentionNode(parts.attention, hidden, neoxAttention),
        mlpNode(parts.mlp, hidden, neoxMlp),
      ]);
    },
    children: (blocks, hidden, vocabulary) => [
      embedding('embed_in', vocabulary, hidden),
      list('layers', blocks),
      norm('final_layer_norm', hidden, layerNorm),
      rotary('rotary_emb', positions.kind === 'rope' ? positions.rotaryDim : 0),
    ],
    tokenTable: 'embed_in',
    head: { base: 'gpt_neox' },
    dropout: {
      embedding: fields.number('hidden_dropout', 0),
      residual: fields.number('hidden_dropout', 0),
    },
  });
}
