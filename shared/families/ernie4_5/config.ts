import { allBias, noBias } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** ERNIE 4.5, dense. */
export function readErnie45(fields: ConfigFields): Backbone {
  const bias = fields.flag('use_bias', false);
  return llamaBlock(fields, {
    family: 'ernie4_5',
    mixer: windowed(fields, { bias: bias ? allBias : noBias }, constant(null)),
    feedForward: constant(gatedMlp(fields, { bias })),
    head: { tied: true },
  });
}
