/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  mixtral: {
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
      num_experts_per_tok: 2,
      num_local_experts: 8,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
