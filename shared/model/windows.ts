/** Which layers see only a sliding window, under the ways in which configs say so. */
import type { ConfigFields } from './configFields';

type WindowOfLayer = (index: number) => number | null;

const everywhereFull: WindowOfLayer = () => null;

/**
 * By `layer_types` where it is listed (`sliding_attention`, `chunked_attention`), else by `pattern`: of every `pattern`
 * layers the last is full (Gemma 3, Cohere 2, EXAONE 4); 1: all slide; null: none does.
 */
export function slidingWindows(fields: ConfigFields, pattern: number | null): WindowOfLayer {
  const window = fields.sizeOr('sliding_window', fields.optionalSize('attention_chunk_size'));
  if (window === null) return everywhereFull;
  const types = fields.names('layer_types');
  if (types !== null) return (index) => (/^(sliding|chunked)/.test(types[index] ?? '') ? window : null);
  if (pattern === null) return everywhereFull;
  return (index) => (pattern === 1 || (index + 1) % pattern !== 0 ? window : null);
}

/** `sliding_window_pattern` is a number (Gemma 3), a word such as "LLLG" (EXAONE 4), or missing. */
export function windowPattern(fields: ConfigFields, fallback: number): number {
  const found = fields.find('sliding_window_pattern') ?? fields.find('_sliding_window_pattern');
  if (typeof found?.value === 'string' && found.value !== '') return found.value.length;
  return found === undefined ? fallback : fields.size(found.name);
}

/** Qwen2's: only with `use_sliding_window`, and only from layer `max_window_layers` on. */
export function qwenWindows(fields: ConfigFields): WindowOfLayer {
  if (!fields.flag('use_sliding_window', false)) return everywhereFull;
  if (fields.has('layer_types')) return slidingWindows(fields, null);
  const window = fields.optionalSize('sliding_window');
  const first = fields.count('max_window_layers', 28);
  return (index) => (index >= first ? window : null);
}

/** The kinds of attention that the layers have, sorted as transformers sorts them: each gets rope tables of its own. */
export function kindsPresent(layerCount: number, windowOf: WindowOfLayer): readonly string[] {
  const slides = Array.from({ length: layerCount }, (_, index) => windowOf(index) !== null);
  return [
    ...(slides.includes(false) ? ['full_attention'] : []),
    ...(slides.includes(true) ? ['sliding_attention'] : []),
  ];
}
