import { allBias, noBias } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp, llamaMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { layerNorm } from '../../model/norms';
import { slidingWindows } from '../../model/windows';
import { activation } from '../common/config/gemmaBlock';
import { windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** StarCoder2: LayerNorms, an MLP of two products, biases unless `use_bias` is off. */
export function readStarcoder2(fields: ConfigFields): Backbone {
  const bias = fields.flag('use_bias', true);
  return llamaBlock(fields, {
    family: 'starcoder2',
    norm: layerNorm,
    mixer: windowed(fields, { bias: bias ? allBias : noBias }, slidingWindows(fields, 1)),
    feedForward: constant(gatedMlp(fields, { gated: false, bias, activation: activation(fields) })),
    mlp: { ...llamaMlp, up: 'c_fc', down: 'c_proj' },
    dropout: {
      embedding: fields.number('embedding_dropout', 0),
      residual: fields.number('residual_dropout', 0),
    },
    head: { tied: true },
  });
}
