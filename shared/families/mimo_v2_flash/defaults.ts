/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  mimo_v2_flash: { whole: { num_key_value_heads: 4, head_dim: 192, v_head_dim: 128, sliding_window: 128 } },
} satisfies Readonly<Record<string, ClassDefaults>>;
