import type { Backbone } from '../../model/backbone';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** llama: biases only where `attention_bias` or `mlp_bias` says so. */
export function readLlama(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'llama',
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
  });
}
