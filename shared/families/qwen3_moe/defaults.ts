/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  qwen3_moe: { whole: { num_key_value_heads: 4 } },
  qwen3_vl_moe_text: {
    part: {
      vocab_size: 151936,
      hidden_size: 2048,
      intermediate_size: 5632,
      num_hidden_layers: 24,
      num_attention_heads: 16,
      num_key_value_heads: 16,
      hidden_act: 'silu',
      max_position_embeddings: 128000,
      tie_word_embeddings: true,
      moe_intermediate_size: 1408,
      num_experts_per_tok: 4,
      num_experts: 60,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
