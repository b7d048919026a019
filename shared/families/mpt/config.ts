import { attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { ordinaryParts } from '../../model/layers';
import type { ModuleNode } from '../../model/modules';
import { block, embedding, list, norm } from '../../model/nodes';
import { layerNormWithoutBias } from '../../model/norms';
import { layerFacts, plainDecoder, plainMlp } from '../common/config/plainDecoder';

/** MPT as transformers has it: ALiBi, no bias anywhere, an MLP four times as wide. */
export function readMpt(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const dropout = fields.part('attn_config')?.number('attn_pdrop', 0) ?? 0;
  const attention = softmaxAttention(fields, hidden, { projection: 'fused', dropout });
  const facts = layerFacts(
    attention,
    { ...plainMlp(fields, 'gelu', false), width: 4 * hidden },
    layerNormWithoutBias,
  );
  const ffn = (layer: Parameters<typeof ordinaryParts>[0]): ModuleNode =>
    mlpNode(ordinaryParts(layer).mlp, hidden, { ...llamaMlp, module: 'ffn' });
  return plainDecoder(fields, {
    family: 'mpt',
    positions: { kind: 'alibi' },
    norm: layerNormWithoutBias,
    layerOf: () => facts,
    blockOf: (layer) =>
      block([
        norm('norm_1', hidden, layerNormWithoutBias),
        attentionNode(attention, hidden, {
          ...llamaAttention,
          module: 'attn',
          fused: 'Wqkv',
          output: 'out_proj',
        }),
        norm('norm_2', hidden, layerNormWithoutBias),
        ffn(layer),
      ]),
    children: (blocks, _hidden, vocabulary) => [
      embedding('wte', vocabulary, hidden),
      list('blocks', blocks),
      norm('norm_f', hidden, layerNormWithoutBias),
    ],
    tokenTable: 'wte',
    head: { tied: true },
    dropout: { residual: dropout },
  });
}
