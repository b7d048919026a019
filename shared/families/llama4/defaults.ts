/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  llama4_text: {
    whole: { num_key_value_heads: 8 },
    part: {
      vocab_size: 202048,
      hidden_size: 5120,
      intermediate_size: 8192,
      intermediate_size_mlp: 16384,
      num_hidden_layers: 48,
      num_attention_heads: 40,
      num_key_value_heads: 8,
      head_dim: 128,
      hidden_act: 'silu',
      max_position_embeddings: 131072,
      num_experts_per_tok: 1,
      num_local_experts: 16,
      interleave_moe_layer_step: 1,
      use_qk_norm: true,
    },
  },
  llama4_vision_model: {
    part: {
      hidden_size: 768,
      hidden_act: 'gelu',
      num_hidden_layers: 34,
      num_attention_heads: 16,
      num_channels: 3,
      intermediate_size: 5632,
      vision_output_dim: 7680,
      image_size: 448,
      patch_size: 14,
      pixel_shuffle_ratio: 0.5,
      projector_input_dim: 4096,
      projector_output_dim: 4096,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
