import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { layerNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { biasFlag, headDim, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';
import { ungatedMlp } from '../common/config/ungatedMlp';

/** Nemotron (Minitron, Nemotron-4): LayerNorm with one plus its weight, an MLP of squared ReLU. */
export function readNemotron(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'nemotron',
    norm: { ...layerNorm, onePlusWeight: true },
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
    feedForward: ungatedMlp(fields, 'relu2', fields.flag('mlp_bias', false)),
    positions: ropePositions(fields, headDim(fields), { share: 0.5 }),
  });
}
