/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  mllama_text_model: {
    part: {
      vocab_size: 128256,
      hidden_size: 4096,
      hidden_act: 'silu',
      num_hidden_layers: 40,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      intermediate_size: 14336,
      max_position_embeddings: 131072,
    },
  },
  mllama_vision_model: {
    part: {
      hidden_size: 1280,
      hidden_act: 'gelu',
      num_hidden_layers: 32,
      num_global_layers: 8,
      attention_heads: 16,
      num_channels: 3,
      intermediate_size: 5120,
      vision_output_dim: 7680,
      image_size: 448,
      patch_size: 14,
      max_num_tiles: 4,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
