/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  internvl_vision: {
    part: {
      hidden_size: 1024,
      num_hidden_layers: 24,
      num_attention_heads: 16,
      intermediate_size: 4096,
      hidden_act: 'gelu',
      image_size: [448, 448],
      patch_size: [14, 14],
      num_channels: 3,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
