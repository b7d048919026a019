import type { Backbone } from '../../model/backbone';
import type { Fields } from '../../model/fields';
import { gemmaStyle } from '../common/config/gemmaBlock';
import { llamaBlock } from '../common/config/llamaBlock';

/** Gemma: no windows, no norms after the branches. */
export function gemma(fields: Fields): Backbone {
  return llamaBlock(fields, gemmaStyle(fields, {}, null));
}
