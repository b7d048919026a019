import type { Backbone } from '../../model/backbone';
import { gatedMlp, llamaMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { rmsNorm } from '../../model/norms';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** nanochat: norms without parameters, a plain MLP. */
export function readNanochat(fields: ConfigFields): Backbone {
  const kind = { ...rmsNorm, weight: false };
  return llamaBlock(fields, {
    family: 'nanochat',
    norm: kind,
    mixer: windowed(
      fields,
      { bias: biasFlag(fields, 'attention_bias'), queryKeyNorm: { over: 'head', norm: kind } },
      constant(null),
    ),
    feedForward: constant(gatedMlp(fields, { gated: false, activation: fields.text('hidden_act', 'relu2') })),
    mlp: { ...llamaMlp, up: 'fc1', down: 'fc2' },
    head: { softCap: fields.number('final_logit_softcapping', 15) },
  });
}
