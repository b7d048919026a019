import type { Backbone } from '../../model/backbone';
import type { Fields } from '../../model/fields';
import { slidingWindows } from '../../model/windows';
import { windowed } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/** Mistral: llama's block; all layers see a window where `sliding_window` is set. */
export function mistral(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'mistral',
    mixer: windowed(fields, {}, slidingWindows(fields, 1)),
  });
}
