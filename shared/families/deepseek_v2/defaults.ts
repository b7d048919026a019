/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  deepseek_v2: { whole: { q_lora_rank: 1536 } },
} satisfies Readonly<Record<string, ClassDefaults>>;
