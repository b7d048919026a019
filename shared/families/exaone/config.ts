import { attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { preNormLayer } from '../../model/layers';
import { block, embedding, group, list, norm } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { plainDecoder } from '../common/config/plainDecoder';

/** EXAONE 3: llama's block under GPT-2's names. */
export function readExaone3(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const attention = softmaxAttention(fields, hidden);
  const mlp = gatedMlp(fields);
  const layer = preNormLayer(attention, mlp, rmsNorm);
  const names = { ...llamaAttention, module: 'attention', output: 'out_proj' };
  return plainDecoder(fields, {
    family: 'exaone',
    positions: ropePositions(fields, attention.headDim),
    norm: rmsNorm,
    layerOf: () => layer,
    blockOf: () =>
      block([
        norm('ln_1', hidden, rmsNorm),
        group('attn', [attentionNode(attention, hidden, names)]),
        norm('ln_2', hidden, rmsNorm),
        mlpNode(mlp, hidden, { ...llamaMlp, gate: 'c_fc_0', up: 'c_fc_1', down: 'c_proj' }),
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
