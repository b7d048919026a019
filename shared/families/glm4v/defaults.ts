/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  glm4v_vision: {
    part: {
      depth: 24,
      hidden_size: 1536,
      hidden_act: 'silu',
      num_heads: 12,
      in_channels: 3,
      image_size: 336,
      patch_size: 14,
      spatial_merge_size: 2,
      temporal_patch_size: 2,
      out_hidden_size: 4096,
      intermediate_size: 13696,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
