/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  pixtral: {
    part: {
      hidden_size: 1024,
      intermediate_size: 4096,
      num_hidden_layers: 24,
      num_attention_heads: 16,
      num_channels: 3,
      image_size: 1024,
      patch_size: 16,
      hidden_act: 'gelu',
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
