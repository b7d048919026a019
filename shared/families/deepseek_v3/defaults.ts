/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  deepseek_v3: {
    whole: { q_lora_rank: 1536 },
    part: {
      vocab_size: 129280,
      hidden_size: 7168,
      intermediate_size: 18432,
      moe_intermediate_size: 2048,
      num_hidden_layers: 61,
      num_attention_heads: 128,
      num_key_value_heads: 128,
      n_shared_experts: 1,
      n_routed_experts: 256,
      kv_lora_rank: 512,
      q_lora_rank: 1536,
      qk_rope_head_dim: 64,
      v_head_dim: 128,
      qk_nope_head_dim: 128,
      num_experts_per_tok: 8,
      first_k_dense_replace: 3,
      hidden_act: 'silu',
      max_position_embeddings: 4096,
    },
  },
  glm4_moe_lite: { whole: { q_lora_rank: 768 } },
  mistral4: { whole: { q_lora_rank: 1024 } },
} satisfies Readonly<Record<string, ClassDefaults>>;
