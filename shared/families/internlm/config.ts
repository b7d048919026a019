import type { SoftmaxAttention } from '../../model/architecture';
import { inputBias, noBias } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** InternLM: llama with biases in its attention unless the file says otherwise. */
export function readInternLm(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'internlm',
    mixer: windowed(fields, { bias: biasFlag(fields, 'bias', true) }, constant(null)),
  });
}

/** InternLM 3: llama with switches for the biases of inputs and output. */
export function readInternLm3(fields: ConfigFields): Backbone {
  const bias: SoftmaxAttention['bias'] = {
    ...(fields.flag('qkv_bias', false) ? inputBias : noBias),
    output: fields.flag('bias', false),
  };
  return llamaBlock(fields, {
    family: 'internlm',
    mixer: windowed(fields, { bias }, constant(null)),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('bias', false) })),
  });
}
