/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  qwen2_5_vl_vision: {
    part: {
      depth: 32,
      hidden_size: 3584,
      hidden_act: 'silu',
      intermediate_size: 3420,
      num_heads: 16,
      in_channels: 3,
      patch_size: 14,
      spatial_merge_size: 2,
      temporal_patch_size: 2,
      out_hidden_size: 3584,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
