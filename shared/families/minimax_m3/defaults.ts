/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  minimax_m3_vl_text: {
    whole: { num_key_value_heads: 4, head_dim: 128 },
    part: {
      vocab_size: 200064,
      hidden_size: 6144,
      intermediate_size: 3072,
      num_hidden_layers: 60,
      num_attention_heads: 64,
      num_key_value_heads: 4,
      head_dim: 128,
      hidden_act: 'silu',
      max_position_embeddings: 524288,
      num_experts_per_tok: 4,
      num_local_experts: 128,
    },
  },
  minimax_m3_vl_vision: {
    part: {
      hidden_size: 1280,
      intermediate_size: 5120,
      num_hidden_layers: 32,
      num_attention_heads: 16,
      num_channels: 3,
      image_size: 2016,
      patch_size: 14,
      temporal_patch_size: 2,
      spatial_merge_size: 2,
      hidden_act: 'gelu',
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
