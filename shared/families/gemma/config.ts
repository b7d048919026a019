import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { gemmaStyle } from '../common/config/gemmaBlock';
import { llamaBlock } from '../common/config/llamaBlock';

/** Gemma: no windows, no norms after the branches. */
export function readGemma(fields: ConfigFields): Backbone {
  return llamaBlock(fields, gemmaStyle(fields, {}, null));
}
