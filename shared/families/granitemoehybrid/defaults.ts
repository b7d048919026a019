/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  granitemoehybrid: { whole: { num_local_experts: 8 } },
} satisfies Readonly<Record<string, ClassDefaults>>;
