/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  mistral3_tower: {
    part: {
      model_type: 'pixtral',
      hidden_size: 1024,
      intermediate_size: 4096,
      num_hidden_layers: 24,
      num_attention_heads: 16,
      image_size: 1540,
      patch_size: 14,
      hidden_act: 'gelu',
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
