import type { Backbone } from '../../model/backbone';
import { expertGroups } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { latentMixture } from '../common/config/latentMixture';

/** DeepSeek V2: softmax routing, from groups unless it is greedy. */
export function readDeepseekV2(fields: ConfigFields): Backbone {
  return latentMixture(fields, {
    family: 'deepseek_v2',
    routerScore: 'softmax',
    // Its router does not divide, whatever the file says.
    normalised: false,
    groups: fields.text('topk_method', 'greedy') === 'greedy' ? null : expertGroups(fields, 1, 1),
    correction: 'none',
    firstDense: 0,
    sharedExperts: 2,
    mlpBias: fields.flag('mlp_bias', false),
  });
}
