import { inputBias, noBias } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { rmsNorm } from '../../model/norms';
import { headDim } from '../common/config/llamaAttention';
import { sigmoidRouted } from '../common/config/sigmoidRouted';

/** GLM-4.5 and 4.6. */
export function readGlm4Moe(fields: ConfigFields): Backbone {
  return sigmoidRouted(
    fields,
    'glm4_moe',
    1,
    {
      headDim: headDim(fields),
      bias: fields.flag('attention_bias', false) ? inputBias : noBias,
      queryKeyNorm: fields.flag('use_qk_norm', false) ? { over: 'head', norm: rmsNorm } : null,
    },
    0.5,
  );
}

/** Solar Open. */
export function readSolarOpen(fields: ConfigFields): Backbone {
  return sigmoidRouted(
    fields,
    'glm4_moe',
    0,
    { headDim: headDim(fields), bias: fields.flag('attention_bias', false) ? inputBias : noBias },
    1,
  );
}
