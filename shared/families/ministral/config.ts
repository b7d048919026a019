import type { Backbone } from '../../model/backbone';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { slidingWindows } from '../../model/windows';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** CWM and Ministral: llama with windows on some layers. */
export function readWindowedLlama(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'ministral',
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, slidingWindows(fields, null)),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
  });
}
