import type { Backbone } from '../../model/backbone';
import { expertMixture } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { slidingWindows } from '../../model/windows';
import { windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** Mixtral: experts of `intermediate_size` in every layer, softmax routing. */
export function readMixtral(fields: ConfigFields): Backbone {
  const moe = expertMixture(fields, {
    experts: fields.experts('num_experts', 8),
    expertsPerToken: fields.sizeOr('num_experts_per_tok', 2),
    expertWidth: fields.size('intermediate_size'),
  });
  return llamaBlock(fields, {
    family: 'mixtral',
    mixer: windowed(fields, {}, slidingWindows(fields, 1)),
    feedForward: constant(moe),
  });
}
