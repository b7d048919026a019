/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  qwen3_vl_vision: {
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
      deepstack_visual_indexes: [8, 16, 24],
    },
  },
  qwen3_vl_moe_vision: {
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
      deepstack_visual_indexes: [8, 16, 24],
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
