import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { layerNorm } from '../../model/norms';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** Orion: llama with LayerNorms. */
export function readOrion(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'orion',
    norm: layerNorm,
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
  });
}
