import { inputBias, noBias } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { rmsNorm } from '../../model/norms';
import { windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** Helium: llama with an output projection that never has a bias. */
export function readHelium(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'helium',
    norm: { ...rmsNorm, fp32: true },
    mixer: windowed(
      fields,
      { bias: fields.flag('attention_bias', false) ? inputBias : noBias },
      constant(null),
    ),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
  });
}
