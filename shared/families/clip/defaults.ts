/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  clip_vision_model: {
    whole: { image_size: 224, patch_size: 32 },
    part: {
      hidden_size: 768,
      intermediate_size: 3072,
      projection_dim: 512,
      num_hidden_layers: 12,
      num_attention_heads: 12,
      num_channels: 3,
      image_size: 224,
      patch_size: 32,
      hidden_act: 'quick_gelu',
    },
  },
  clip_text_model: {
    part: {
      vocab_size: 49408,
      hidden_size: 512,
      intermediate_size: 2048,
      projection_dim: 512,
      num_hidden_layers: 12,
      num_attention_heads: 8,
      max_position_embeddings: 77,
      hidden_act: 'quick_gelu',
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
