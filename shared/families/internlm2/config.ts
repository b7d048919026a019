import { allBias, attentionNode, llamaAttention, noBias, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { preNormLayer } from '../../model/layers';
import { block, embedding, list, norm } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { plainDecoder } from '../common/config/plainDecoder';

/** InternLM 2 and 2.5: llama's block under names of its own, query, key and value in one product. */
export function readInternLm2(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const bias = fields.flag('bias', true);
  const attention = softmaxAttention(fields, hidden, {
    projection: 'fused',
    bias: bias ? allBias : noBias,
  });
  const mlp = gatedMlp(fields);
  const layer = preNormLayer(attention, mlp, rmsNorm);
  return plainDecoder(fields, {
    family: 'internlm2',
    positions: ropePositions(fields, attention.headDim),
    norm: rmsNorm,
    layerOf: () => layer,
    blockOf: () =>
      block([
        attentionNode(attention, hidden, {
          ...llamaAttention,
          module: 'attention',
          fused: 'wqkv',
          output: 'wo',
        }),
        mlpNode(mlp, hidden, { ...llamaMlp, module: 'feed_forward', gate: 'w1', up: 'w3', down: 'w2' }),
        norm('attention_norm', hidden, rmsNorm),
        norm('ffn_norm', hidden, rmsNorm),
      ]),
    children: (blocks, _hidden, vocabulary) => [
      embedding('tok_embeddings', vocabulary, hidden),
      list('layers', blocks),
      norm('norm', hidden, rmsNorm),
    ],
    tokenTable: 'tok_embeddings',
    head: { base: 'model', name: 'output' },
  });
}
