import { inputBias, noBias } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { expertMixture, gatedMlp, mixtralExperts } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { sparseLayers } from '../../model/sparseLayers';
import { qwenWindows } from '../../model/windows';
import { mixed } from '../common/config/expertLayers';
import { windowed } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/** Qwen1.5-MoE and Qwen2-MoE: an MLP beside the experts, behind a gate. */
export function readQwen2Moe(fields: ConfigFields): Backbone {
  const moe = expertMixture(fields, {
    normalised: fields.flag('norm_topk_prob', false),
    shared: {
      mlp: gatedMlp(fields, { width: fields.size('shared_expert_intermediate_size') }),
      gate: true,
    },
  });
  return llamaBlock(fields, {
    family: 'qwen2_moe',
    mixer: windowed(
      fields,
      { bias: fields.flag('qkv_bias', true) ? inputBias : noBias },
      qwenWindows(fields),
    ),
    feedForward: mixed(fields, moe, sparseLayers(fields)),
    experts: { ...mixtralExperts, shared: 'shared_expert' },
  });
}
