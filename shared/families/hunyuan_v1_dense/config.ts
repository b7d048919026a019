import type { SoftmaxAttention } from '../../model/architecture';
import { llamaAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { rmsNorm } from '../../model/norms';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** Hunyuan's dense models: each head's query and key normed, after rope. */
export function readHunyuanDense(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'hunyuan_v1_dense',
    mixer: windowed(fields, hunyuanAttention(fields), constant(null)),
    attention: { ...llamaAttention, queryNorm: 'query_layernorm', keyNorm: 'key_layernorm' },
  });
}

/** Hunyuan's attention: each head's query and key normed. */
export const hunyuanAttention = (fields: ConfigFields): Partial<SoftmaxAttention> => ({
  bias: biasFlag(fields, 'attention_bias'),
  queryKeyNorm: { over: 'head', norm: rmsNorm },
});
