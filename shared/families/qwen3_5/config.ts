import type { Backbone } from '../../model/backbone';
import type { Fields } from '../../model/fields';
import { hybrid } from '../qwen3_next/config';

/** The language model of Qwen3.5, dense or with experts. */
export function qwen35(fields: Fields): Backbone {
  return hybrid(fields, 'qwen3_5');
}
