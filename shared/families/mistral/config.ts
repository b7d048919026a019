import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { slidingWindows } from '../../model/windows';
import { windowed } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/** Mistral: llama's block; all layers see a window where `sliding_window` is set. */
export function readMistral(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'mistral',
    mixer: windowed(fields, {}, slidingWindows(fields, 1)),
  });
}
