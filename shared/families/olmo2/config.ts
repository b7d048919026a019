import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { rmsNorm } from '../../model/norms';
import { kindsPresent, slidingWindows } from '../../model/windows';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/** OLMo 2 and 3: norms on what attention and MLP give, one norm over all query heads and one over all key heads. */
export function readOlmo2(fields: ConfigFields): Backbone {
  const norm = { ...rmsNorm, fp32: true };
  const windowOf = slidingWindows(fields, 4);
  return llamaBlock(fields, {
    family: 'olmo2',
    norm,
    placement: 'branch',
    norms: ['post_attention_layernorm', 'post_feedforward_layernorm'],
    mixer: windowed(
      fields,
      { bias: biasFlag(fields, 'attention_bias'), queryKeyNorm: { over: 'all', norm } },
      windowOf,
    ),
    rotaryTypes: fields.has('sliding_window') ? kindsPresent(fields.layers(), windowOf) : [''],
  });
}
