import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { llamaBlock } from '../common/config/llamaBlock';
import { glmStyle } from '../glm/config';

/** GLM-4 0414 and the language model of GLM-4V: GLM with norms after each branch too. */
export function readGlm4(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    ...glmStyle(fields),
    family: 'glm4',
    placement: 'sandwich',
    norms: ['input_layernorm', 'post_attention_layernorm', 'post_self_attn_layernorm', 'post_mlp_layernorm'],
  });
}
