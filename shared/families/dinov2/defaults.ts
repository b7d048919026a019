/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  dinov2: { whole: { image_size: 224, patch_size: 14 } },
  dinov2_with_registers: { whole: { image_size: 224, patch_size: 16 } },
} satisfies Readonly<Record<string, ClassDefaults>>;
