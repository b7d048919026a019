import type { SoftmaxAttention } from '../../../model/architecture';
import { allBias, noBias, softmaxAttention } from '../../../model/attention';
import type { ConfigFields } from '../../../model/configFields';

/** An attention that differs between layers by its window only. */
export function windowed(
  fields: ConfigFields,
  facts: Partial<SoftmaxAttention>,
  windowOf: (index: number) => number | null,
): (index: number) => SoftmaxAttention {
  const attention = softmaxAttention(fields, fields.size('hidden_size'), facts);
  return (index) => ({ ...attention, window: windowOf(index) });
}

/** Biases on all projections or on none, as the flag `name` says. */
export const biasFlag = (fields: ConfigFields, name: string, fallback = false): SoftmaxAttention['bias'] =>
  fields.flag(name, fallback) ? allBias : noBias;

/** Elements of a head: `head_dim`, else hidden size over heads, rounded down. */
export const headDim = (fields: ConfigFields): number =>
  fields.sizeOr(
    'head_dim',
    Math.max(1, Math.floor(fields.size('hidden_size') / fields.size('num_attention_heads'))),
  );
