import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { gatedMlp } from '../../model/feedForward';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

const granitesNorms = ['input_layernorm', 'post_attention_layernorm'];

/** HyperCLOVA X: Granite with a norm after each branch, too, unless `use_post_norm` is off; logits are multiplied, not divided. */
export function readHyperclovax(fields: ConfigFields): Backbone {
  const hasPostNorms = fields.flag('use_post_norm', true);
  return llamaBlock(fields, {
    family: 'hyperclovax',
    placement: hasPostNorms ? 'sandwich' : 'pre',
    norms: hasPostNorms ? [...granitesNorms, 'post_norm1', 'post_norm2'] : granitesNorms,
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
    embeddingScale: fields.number('embedding_multiplier', 1),
    head: { scale: fields.number('logits_scaling', 1) },
  });
}
