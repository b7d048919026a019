import { allBias, noBias } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { expertMixture, mixtralExperts } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { rmsNorm } from '../../model/norms';
import { slidingWindows } from '../../model/windows';
import { windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** gpt-oss: biases everywhere, a learned sink for each head, every other layer a window of 128 tokens. */
export function readGptOss(fields: ConfigFields): Backbone {
  const bias = fields.flag('attention_bias', true);
  const heads = fields.size('num_attention_heads');
  return llamaBlock(fields, {
    family: 'gpt_oss',
    norm: { ...rmsNorm, fp32: true },
    mixer: windowed(fields, { heads, bias: bias ? allBias : noBias, sinks: true }, slidingWindows(fields, 2)),
    feedForward: constant(
      expertMixture(fields, {
        expertWidth: fields.size('intermediate_size'),
        bias: true,
        routerBias: true,
        routerScore: 'softmax-of-chosen',
      }),
    ),
    experts: { ...mixtralExperts, router: 'router', inputsFirst: true },
  });
}
