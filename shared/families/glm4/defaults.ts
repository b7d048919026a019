/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  glm4: { whole: { num_key_value_heads: 2, head_dim: 128 } },
  glm4v_text: {
    whole: { num_key_value_heads: 2 },
    part: {
      vocab_size: 151552,
      hidden_size: 4096,
      intermediate_size: 13696,
      num_hidden_layers: 40,
      num_attention_heads: 32,
      num_key_value_heads: 2,
      hidden_act: 'silu',
      max_position_embeddings: 32768,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
