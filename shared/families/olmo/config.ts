import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { layerNormWithoutParameters } from '../../model/norms';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** OLMo: norms without parameters. */
export function readOlmo(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'olmo',
    norm: { ...layerNormWithoutParameters, fp32: true },
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
  });
}
