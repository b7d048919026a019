/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  qwen3_5_text: {
    whole: { num_key_value_heads: 4, head_dim: 256 },
    part: {
      vocab_size: 248320,
      hidden_size: 4096,
      intermediate_size: 12288,
      num_hidden_layers: 32,
      num_attention_heads: 16,
      num_key_value_heads: 4,
      hidden_act: 'silu',
      max_position_embeddings: 32768,
      head_dim: 256,
      linear_conv_kernel_dim: 4,
      linear_key_head_dim: 128,
      linear_value_head_dim: 128,
      linear_num_key_heads: 16,
      linear_num_value_heads: 32,
    },
  },
  qwen3_5_moe_text: {
    whole: { num_key_value_heads: 2, head_dim: 256 },
    part: {
      vocab_size: 248320,
      hidden_size: 2048,
      num_hidden_layers: 40,
      num_attention_heads: 16,
      num_key_value_heads: 2,
      hidden_act: 'silu',
      max_position_embeddings: 32768,
      head_dim: 256,
      linear_conv_kernel_dim: 4,
      linear_key_head_dim: 128,
      linear_value_head_dim: 128,
      linear_num_key_heads: 16,
      linear_num_value_heads: 32,
      moe_intermediate_size: 512,
      shared_expert_intermediate_size: 512,
      num_experts_per_tok: 8,
      num_experts: 256,
    },
  },
  qwen3_5_vision: {
    part: {
      depth: 27,
      hidden_size: 1152,
      hidden_act: 'gelu_pytorch_tanh',
      intermediate_size: 4304,
      num_heads: 16,
      in_channels: 3,
      patch_size: 16,
      spatial_merge_size: 2,
      temporal_patch_size: 2,
      out_hidden_size: 3584,
      num_position_embeddings: 2304,
    },
  },
  qwen3_5_moe_vision: {
    part: {
      depth: 27,
      hidden_size: 1152,
      hidden_act: 'gelu_pytorch_tanh',
      intermediate_size: 4304,
      num_heads: 16,
      in_channels: 3,
      patch_size: 16,
      spatial_merge_size: 2,
      temporal_patch_size: 2,
      out_hidden_size: 3584,
      num_position_embeddings: 2304,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
