import type { Backbone } from '../../model/backbone';
import { expertMixture } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { rmsNorm } from '../../model/norms';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** OLMoE and FlexOLMo, which norms after its branches as OLMo 2 does. */
export function readOlmoe(fields: ConfigFields): Backbone {
  const isFlex = fields.text('model_type', 'olmoe') === 'flex_olmo';
  return llamaBlock(fields, {
    family: 'olmoe',
    placement: isFlex ? 'branch' : 'pre',
    norms: isFlex
      ? ['post_attention_layernorm', 'post_feedforward_layernorm']
      : ['input_layernorm', 'post_attention_layernorm'],
    mixer: windowed(
      fields,
      { bias: biasFlag(fields, 'attention_bias'), queryKeyNorm: { over: 'all', norm: rmsNorm } },
      constant(null),
    ),
    feedForward: constant(
      expertMixture(fields, {
        expertWidth: fields.size('intermediate_size'),
        normalised: fields.flag('norm_topk_prob', false),
      }),
    ),
  });
}
