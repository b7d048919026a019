/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  qwen3: {
    whole: { head_dim: 128 },
    part: {
      vocab_size: 151936,
      hidden_size: 4096,
      intermediate_size: 22016,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      head_dim: 128,
      hidden_act: 'silu',
      max_position_embeddings: 32768,
      sliding_window: 4096,
    },
  },
  qwen3_vl_text: {
    whole: { head_dim: 128 },
    part: {
      vocab_size: 151936,
      hidden_size: 4096,
      intermediate_size: 22016,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      head_dim: 128,
      hidden_act: 'silu',
      max_position_embeddings: 128000,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
