import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';
import { ungatedMlp } from '../common/config/ungatedMlp';

/** Arcee AFM: llama with a plain MLP of squared ReLU. */
export function readArcee(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'arcee',
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
    feedForward: ungatedMlp(fields, 'relu2', fields.flag('mlp_bias', false)),
  });
}
