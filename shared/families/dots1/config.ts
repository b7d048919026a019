import type { Backbone } from '../../model/backbone';
import type { Fields } from '../../model/fields';
import { rmsNorm } from '../../model/norms';
import { biasFlag, headDim } from '../common/config/llamaAttention';
import { sigmoidRouted } from '../common/config/sigmoidRouted';

/** dots.llm1: each head normed, experts not normalised unless the file says so. */
export function dots1(fields: Fields): Backbone {
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
