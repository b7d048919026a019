import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { rmsNorm } from '../../model/norms';
import { biasFlag, headDim } from '../common/config/llamaAttention';
import { sigmoidRouted } from '../common/config/sigmoidRouted';

/** dots.llm1: each head normed, experts not normalised unless the file says so. */
export function readDots1(fields: ConfigFields): Backbone {
  return sigmoidRouted(
    fields,
    'dots1',
    0,
    {
      headDim: headDim(fields),
      bias: biasFlag(fields, 'attention_bias'),
      queryKeyNorm: { over: 'head', norm: rmsNorm },
    },
    1,
  );
}
