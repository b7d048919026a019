import { llamaAttention, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** Baichuan 1 and 2: query, key and value in one product; the 13B models (hidden size 5120) use ALiBi. */
export function readBaichuan(fields: ConfigFields): Backbone {
  const attention = softmaxAttention(fields, fields.size('hidden_size'), { projection: 'fused' });
  const isLarge = fields.size('hidden_size') === 5120;
  return llamaBlock(fields, {
    family: 'baichuan',
    mixer: constant(attention),
    attention: { ...llamaAttention, fused: 'W_pack' },
    ...(isLarge ? { positions: { kind: 'alibi' } as const } : {}),
  });
}
