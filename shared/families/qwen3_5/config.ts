import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { hybrid } from '../qwen3_next/config';

/** The language model of Qwen3.5, dense or with experts. */
export function readQwen35(fields: ConfigFields): Backbone {
  return hybrid(fields, 'qwen3_5');
}
