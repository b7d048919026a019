/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  lfm2: { whole: { num_key_value_heads: 8 } },
} satisfies Readonly<Record<string, ClassDefaults>>;
