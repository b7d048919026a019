/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  swin: { whole: { image_size: 224, patch_size: 4, depths: [2, 2, 6, 2], num_heads: [3, 6, 12, 24] } },
} satisfies Readonly<Record<string, ClassDefaults>>;
