import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { gemmaNorm } from '../../model/norms';
import { kindsPresent, slidingWindows, windowPattern } from '../../model/windows';
import { gemmaStyle, sandwichNorms } from '../common/config/gemmaBlock';
import { llamaBlock } from '../common/config/llamaBlock';

/** Gemma 3: five of six layers see a window, each head is normed. */
export function readGemma3(fields: ConfigFields): Backbone {
  const pattern = windowPattern(fields, 6);
  return llamaBlock(fields, {
    ...gemmaStyle(fields, { queryKeyNorm: { over: 'head', norm: gemmaNorm } }, pattern),
    family: 'gemma3',
    placement: 'sandwich',
    norms: sandwichNorms,
    rotaryTypes: kindsPresent(fields.layers(), slidingWindows(fields, pattern)),
  });
}
