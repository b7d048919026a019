/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  kimi_k25_vision: {
    part: {
      patch_size: 14,
      pos_emb_height: 64,
      pos_emb_width: 64,
      num_attention_heads: 16,
      num_hidden_layers: 27,
      hidden_size: 1152,
      intermediate_size: 4304,
      hidden_act: 'gelu_pytorch_tanh',
      merge_kernel_size: [2, 2],
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
