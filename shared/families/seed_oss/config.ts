import type { SoftmaxAttention } from '../../model/architecture';
import { inputBias, noBias } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** Seed-OSS: biases on query, key and value, dropout on the branches. */
export function readSeedOss(fields: ConfigFields): Backbone {
  const bias: SoftmaxAttention['bias'] = {
    ...(fields.flag('attention_bias', true) ? inputBias : noBias),
    output: fields.flag('attention_out_bias', false),
  };
  return llamaBlock(fields, {
    family: 'seed_oss',
    mixer: windowed(fields, { bias, dropout: fields.number('attention_dropout', 0.1) }, constant(null)),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
    dropout: { embedding: 0, residual: fields.number('residual_dropout', 0.1) },
  });
}
