import { inputBias, noBias } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { rmsNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { headDim, windowed } from '../common/config/llamaAttention';
import { type LlamaChanges, constant, llamaBlock } from '../common/config/llamaBlock';

export function glmStyle(fields: ConfigFields): LlamaChanges {
  return {
    family: 'glm',
    norm: rmsNorm,
    mixer: windowed(
      fields,
      { bias: fields.flag('attention_bias', true) ? inputBias : noBias },
      constant(null),
    ),
    feedForward: constant(gatedMlp(fields, { fused: true })),
    positions: ropePositions(fields, headDim(fields), { share: 0.5, interleaved: true }),
  };
}

/** GLM-4 9B in transformers: half of each head rotated, gate and up in one product. */
export function readGlm(fields: ConfigFields): Backbone {
  return llamaBlock(fields, glmStyle(fields));
}
