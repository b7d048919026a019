import type { Backbone } from '../../model/backbone';
import { expertMixture, mixtralExperts } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { layerNorm } from '../../model/norms';
import { slidingWindows } from '../../model/windows';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** Phi-3.5-MoE: Mixtral with LayerNorms; biases on attention and head where the file says so, as the published one does. */
export function readPhimoe(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'phimoe',
    norm: layerNorm,
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, slidingWindows(fields, 1)),
    feedForward: constant(
      expertMixture(fields, {
        experts: fields.experts('num_experts', 16),
        expertsPerToken: fields.sizeOr('num_experts_per_tok', 2),
        expertWidth: fields.size('intermediate_size'),
      }),
    ),
    experts: { ...mixtralExperts, router: 'router' },
    head: { bias: fields.flag('lm_head_bias', false) },
  });
}
