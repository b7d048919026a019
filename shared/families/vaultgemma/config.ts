import type { Backbone } from '../../model/backbone';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { gemmaNorm } from '../../model/norms';
import { slidingWindows } from '../../model/windows';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** VaultGemma: Gemma 2 without the norms after its branches. */
export function readVaultGemma(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'vaultgemma',
    norm: gemmaNorm,
    norms: ['input_layernorm', 'pre_feedforward_layernorm'],
    mixer: windowed(
      fields,
      {
        bias: biasFlag(fields, 'attention_bias'),
        scoreSoftCap: fields.number('attn_logit_softcapping', 50),
      },
      slidingWindows(fields, 2),
    ),
    feedForward: constant(gatedMlp(fields, { activation: fields.text('hidden_act', 'gelu_pytorch_tanh') })),
    embeddingScale: Math.sqrt(fields.size('hidden_size')),
    embeddingScaleIsBuffer: true,
    head: { tied: true, softCap: fields.number('final_logit_softcapping', 30) },
  });
}
