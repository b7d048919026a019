import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { layerNorm } from '../../model/norms';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';
import { ungatedMlp } from '../common/config/ungatedMlp';

/** Jais 2: LayerNorms, biases, an MLP of squared ReLU. */
export function readJais2(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'jais2',
    norm: layerNorm,
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias', true) }, constant(null)),
    feedForward: ungatedMlp(fields, 'relu2', fields.flag('mlp_bias', true)),
  });
}
