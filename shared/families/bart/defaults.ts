/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  blenderbot: { whole: { max_position_embeddings: 128 } },
  'blenderbot-small': { whole: { max_position_embeddings: 512 } },
} satisfies Readonly<Record<string, ClassDefaults>>;
