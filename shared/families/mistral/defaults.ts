/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  mistral: {
    whole: { num_key_value_heads: 8 },
    part: {
      vocab_size: 32000,
      hidden_size: 4096,
      intermediate_size: 14336,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      hidden_act: 'silu',
      max_position_embeddings: 131072,
      sliding_window: 4096,
    },
  },
  ministral3: {
    whole: { num_key_value_heads: 8 },
    part: {
      vocab_size: 131072,
      hidden_size: 4096,
      intermediate_size: 14336,
      num_hidden_layers: 34,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      head_dim: 128,
      hidden_act: 'silu',
      max_position_embeddings: 262144,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
