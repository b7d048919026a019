import type { SoftmaxAttention } from '../../../model/architecture';
import { gatedMlp } from '../../../model/feedForward';
import type { ConfigFields } from '../../../model/configFields';
import { gemmaNorm } from '../../../model/norms';
import { slidingWindows } from '../../../model/windows';
import { biasFlag, windowed } from './llamaAttention';
import { type LlamaChanges, constant } from './llamaBlock';

export const activation = (fields: ConfigFields): string => fields.text('hidden_act', 'gelu_pytorch_tanh');

/** What the three Gemmas share: wide heads, (1 + weight) norms, scaled embeddings, a tied head. */
export function gemmaStyle(
  fields: ConfigFields,
  facts: Partial<SoftmaxAttention>,
  pattern: number | null,
): LlamaChanges {
  return {
    family: 'gemma',
    norm: gemmaNorm,
    mixer: windowed(
      fields,
      { bias: biasFlag(fields, 'attention_bias'), ...facts },
      slidingWindows(fields, pattern),
    ),
    feedForward: constant(gatedMlp(fields, { activation: activation(fields) })),
    embeddingScale: Math.sqrt(fields.size('hidden_size')),
    embeddingScaleIsBuffer: true,
    head: { tied: true, softCap: fields.number('final_logit_softcapping', null) },
  };
}

export const sandwichNorms = [
  'input_layernorm',
  'post_attention_layernorm',
  'pre_feedforward_layernorm',
  'post_feedforward_layernorm',
];
