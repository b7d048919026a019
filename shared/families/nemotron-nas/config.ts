import type { FeedForward, Mixer } from '../../model/architecture';
import { softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp } from '../../model/feedForward';
import { type ConfigFields, isRecord } from '../../model/configFields';
import { group, linear } from '../../model/nodes';
import { ropePositions } from '../../model/positions';
import { headDim } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/**
 * Nemotron's searched models (DeciLM): each layer's `block_configs` entry says whether it has attention and an MLP, how
 * many heads share a key, and how wide the MLP is (`ffn_mult`, in steps of 256).
 */
export function readDeciLm(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const heads = fields.size('num_attention_heads');
  const entries = fields.list('block_configs');
  if (entries === null) throw fields.missing('block_configs');
  const halfOf = (index: number, name: string): Readonly<Record<string, unknown>> => {
    const entry = entries[index];
    const half = isRecord(entry) ? entry[name] : undefined;
    if (!isRecord(half)) throw fields.missing(`block_configs[${String(index)}].${name}`);
    return half;
  };
  const mixer = (index: number): Mixer => {
    const half = halfOf(index, 'attention');
    if (half['no_op'] === true) return { kind: 'none' };
    if (half['replace_with_linear'] === true) return { kind: 'other', name: 'linear' };
    const shared = half['n_heads_in_group'];
    if (typeof shared !== 'number' || !(shared >= 1 && shared <= heads))
      throw fields.missing(`block_configs[${String(index)}].attention.n_heads_in_group`);
    return softmaxAttention(fields, hidden, { keyValueHeads: Math.floor(heads / shared) });
  };
  const feedForward = (index: number): FeedForward => {
    const half = halfOf(index, 'ffn');
    if (half['no_op'] === true) return { kind: 'none' };
    if (half['replace_with_linear'] === true) return { kind: 'other', name: 'linear' };
    const multiple = half['ffn_mult'];
    if (typeof multiple !== 'number' || !(multiple > 0 && multiple < 1000))
      throw fields.missing(`block_configs[${String(index)}].ffn.ffn_mult`);
    return gatedMlp(fields, { width: Math.ceil(Math.floor((2 * multiple * hidden) / 3) / 256) * 256 });
  };
  return llamaBlock(fields, {
    family: 'nemotron_nas',
    mixer,
    feedForward,
    positions: ropePositions(fields, headDim(fields)),
    normsOf: ({ mixer: first, feedForward: second }) => [
      ...(first.kind === 'none' ? [] : ['input_layernorm']),
      ...(second.kind === 'none' ? [] : ['post_attention_layernorm']),
    ],
    ownNode: (part) =>
      part.kind === 'other' ? group(part.name, [linear('linear_attn', hidden, hidden)]) : null,
  });
}
