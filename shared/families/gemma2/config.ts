import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { gemmaStyle, sandwichNorms } from '../common/config/gemmaBlock';
import { llamaBlock } from '../common/config/llamaBlock';

/** Gemma 2: every other layer sees a window; scores and logits are capped. */
export function readGemma2(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    ...gemmaStyle(fields, { scoreSoftCap: fields.number('attn_logit_softcapping', 50) }, 2),
    family: 'gemma2',
    placement: 'sandwich',
    norms: sandwichNorms,
  });
}
