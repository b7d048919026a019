import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { rmsNorm } from '../../model/norms';
import { slidingWindows, windowPattern } from '../../model/windows';
import { windowed } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/** EXAONE 4: norms after each branch; where layers slide, the full ones have no positions. */
export function readExaone4(fields: ConfigFields): Backbone {
  const windowOf = slidingWindows(fields, windowPattern(fields, 4));
  const mixer = windowed(fields, { queryKeyNorm: { over: 'head', norm: rmsNorm } }, windowOf);
  const slides = fields.has('sliding_window');
  return llamaBlock(fields, {
    family: 'exaone4',
    placement: 'branch',
    norms: ['post_attention_layernorm', 'post_feedforward_layernorm'],
    mixer: (index) => ({ ...mixer(index), positions: !slides || windowOf(index) !== null }),
  });
}
