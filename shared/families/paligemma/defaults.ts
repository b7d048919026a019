/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  paligemma_tower: {
    part: {
      model_type: 'siglip_vision_model',
      hidden_size: 1152,
      intermediate_size: 4096,
      num_hidden_layers: 27,
      num_attention_heads: 16,
      image_size: 224,
      patch_size: 14,
      vision_use_head: false,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
