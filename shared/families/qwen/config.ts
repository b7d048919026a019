import type { Mlp } from '../../model/architecture';
import { attentionNode, inputBias, llamaAttention, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { ordinaryParts, preNormLayer } from '../../model/layers';
import { block, embedding, list, norm } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { headDim } from '../common/config/llamaAttention';
import { plainDecoder } from '../common/config/plainDecoder';

/** Qwen 1: `intermediate_size` counts both halves of its gated MLP. */
export function readQwen1(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const plainBias = !fields.flag('no_bias', true);
  const attention = softmaxAttention(fields, hidden, {
    headDim: fields.sizeOr('kv_channels', headDim(fields)),
    projection: 'fused',
    bias: { ...inputBias, output: plainBias },
  });
  const width = Math.max(1, Math.floor(fields.size('intermediate_size') / 2));
  const mlp: Mlp = gatedMlp(fields, { width, bias: plainBias, activation: 'silu' });
  const layer = preNormLayer(attention, mlp, rmsNorm);
  return plainDecoder(fields, {
    family: 'qwen',
    positions: ropePositions(fields, attention.headDim),
    norm: rmsNorm,
    layerOf: () => layer,
    blockOf: (facts) =>
      block([
        norm('ln_1', hidden, rmsNorm),
        attentionNode(attention, hidden, {
          ...llamaAttention,
          module: 'attn',
          fused: 'c_attn',
          output: 'c_proj',
        }),
        norm('ln_2', hidden, rmsNorm),
        mlpNode(ordinaryParts(facts).mlp, hidden, { ...llamaMlp, gate: 'w1', up: 'w2', down: 'c_proj' }),
      ]),
    children: (blocks, _hidden, vocabulary) => [
      embedding('wte', vocabulary, hidden),
      list('h', blocks),
      norm('ln_f', hidden, rmsNorm),
    ],
    tokenTable: 'wte',
    head: {},
  });
}
