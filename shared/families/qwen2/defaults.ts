/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  qwen2: {
    part: {
      vocab_size: 151936,
      hidden_size: 4096,
      intermediate_size: 22016,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      hidden_act: 'silu',
      max_position_embeddings: 32768,
      sliding_window: 4096,
    },
  },
  qwen2_vl_text: {
    whole: { num_key_value_heads: 8 },
    part: {
      vocab_size: 152064,
      hidden_size: 8192,
      intermediate_size: 29568,
      num_hidden_layers: 80,
      num_attention_heads: 64,
      num_key_value_heads: 8,
      hidden_act: 'silu',
      max_position_embeddings: 32768,
      sliding_window: 4096,
    },
  },
  qwen2_5_vl_text: {
    whole: { num_key_value_heads: 8 },
    part: {
      vocab_size: 152064,
      hidden_size: 8192,
      intermediate_size: 29568,
      num_hidden_layers: 80,
      num_attention_heads: 64,
      num_key_value_heads: 8,
      hidden_act: 'silu',
      max_position_embeddings: 32768,
      sliding_window: 4096,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
