import type { SoftmaxAttention } from '../../model/architecture';
import { inputBias, noBias, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { expertMixture } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { layerFields } from '../../model/perLayer';
import { sparseLayers } from '../../model/sparseLayers';
import { expertsFirst, mixed, sharedMlp } from '../common/config/expertLayers';
import { headDim } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/** MiMo V2: sliding layers have twice the key heads, and sinks; values are narrower than keys. */
export function readMimoV2(fields: ConfigFields): Backbone {
  const hybrid = fields.wholes('hybrid_layer_pattern');
  const types = fields.names('layer_types');
  const window = fields.sizeOr('sliding_window', fields.optionalSize('sliding_window_size'));
  // Where nothing is listed, the first layer and every sixth see everything.
  const slides = (index: number): boolean => {
    if (hybrid !== null) return hybrid[index] === 1;
    return types === null ? index > 0 && (index + 1) % 6 !== 0 : types[index] === 'sliding_attention';
  };
  const hidden = fields.size('hidden_size');
  const attentionOf = (own: ConfigFields): SoftmaxAttention =>
    softmaxAttention(own, hidden, {
      headDim: headDim(own),
      valueHeadDim: own.sizeOr('v_head_dim', headDim(own)),
      bias: fields.flag('attention_bias', false) ? inputBias : noBias,
    });
  const full = attentionOf(fields);
  const mixer = (index: number): SoftmaxAttention => {
    const listed = layerFields(fields, index);
    const attention = listed === null ? full : attentionOf(listed);
    if (!slides(index)) return attention;
    return {
      ...attention,
      window,
      sinks: true,
      heads: fields.sizeOr('swa_num_attention_heads', attention.heads),
      keyValueHeads: fields.sizeOr('swa_num_key_value_heads', 2 * attention.keyValueHeads),
      headDim: fields.sizeOr('swa_head_dim', attention.headDim),
      valueHeadDim: fields.sizeOr('swa_v_head_dim', attention.valueHeadDim),
    };
  };
  const moe = expertMixture(fields, {
    routerScore: 'sigmoid',
    shared: sharedMlp(fields, fields.count('n_shared_experts', 0)),
  });
  return llamaBlock(fields, {
    family: 'mimo_v2',
    mixer,
    feedForward: mixed(fields, moe, sparseLayers(fields, 1)),
    experts: { ...expertsFirst, correction: 'buffer' },
    rotaryTypes: ['full_attention', 'sliding_attention'],
  });
}
