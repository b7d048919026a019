/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  electra: { whole: { embedding_size: 128 } },
} satisfies Readonly<Record<string, ClassDefaults>>;
