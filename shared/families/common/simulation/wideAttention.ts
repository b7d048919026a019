/** Attention with scores in fp32, which GPT-J and GPT-Neo write in Python. */
import { add, cast, dropout } from '../../../memory/operations/elementwise';
import { copy, view } from '../../../memory/operations/layout';
import { batchedProduct } from '../../../memory/operations/linear';
import { softmax } from '../../../memory/operations/softmax';
import { hold, last } from '../../../memory/tape/tape';
import { FP32, type Tensor } from '../../../memory/tape/tensor';
import type { SoftmaxAttention } from '../../../model/architecture';
import type { AttentionInputs } from './attention';

/**
 * `_attn` and `_merge_heads`: query and key [batch, heads, positions, d] in fp32, their scores, what `prepare` makes of them, the mask added,
 * softmax, back to the value's type. The output [batch, positions, heads · d], whose copy is held, and the weights. Backward keeps both casts,
 * what softmax gave, and the weights.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gptj/modeling_gptj.py#L136
 */
export function attendInFp32(
  attention: SoftmaxAttention,
  { query, key, value, mask }: AttentionInputs,
  prepare: (scores: Tensor) => Tensor,
): [Tensor, Tensor] {
  const [batch = 1, heads = 1, sequence = 1, headDim = 1] = query.shape;
  const [attended, weights] = query.tape.frame([], () => {
    const wideQuery = hold(cast(query, FP32));
    const wideKey = hold(cast(key, FP32));
    const pairs = [batch, heads, sequence, sequence];
    const scores = hold(batchedProduct(wideQuery, wideKey, pairs, { left: true, right: 'copy' }));
    let made = hold(prepare(scores));
    if (mask !== null) made = hold(add(last(made), mask));
    made = hold(softmax(last(made)));
    made = hold(cast(last(made), value.elementBytes));
    made = hold(dropout(last(made), attention.dropout));
    const output = batchedProduct(made, value, query.shape, { left: false, right: 'copy' });
    return [output, made];
  });
  const merged = hold(copy(attended));
  return [view(merged, [batch, sequence, heads * headDim]), weights];
}
