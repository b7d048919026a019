import type { SoftmaxAttention } from '../../model/architecture';
import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { rmsNorm } from '../../model/norms';
import { qwenWindows } from '../../model/windows';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/** Qwen3: each head normed, no biases unless the file says so. */
export function readQwen3(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'qwen3',
    mixer: windowed(fields, qwen3Attention(fields), qwenWindows(fields)),
  });
}

/** Qwen3's attention: each head's query and key normed. */
export function qwen3Attention(fields: ConfigFields): Partial<SoftmaxAttention> {
  return {
    bias: biasFlag(fields, 'attention_bias'),
    queryKeyNorm: { over: 'head', norm: rmsNorm },
  };
}
