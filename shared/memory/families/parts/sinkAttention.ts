/** gpt-oss' attention, which exists in Python only: a learned logit for each head, its sink, takes part in the softmax. */
import type { SoftmaxAttention } from '../../../model/architecture';
import { topK } from '../../operations/choosing';
import { add, cast, dropout, scale, subtract } from '../../operations/elementwise';
import { concatenate, copy, expand, slice, view } from '../../operations/layout';
import { batchedProduct } from '../../operations/linear';
import { softmax } from '../../operations/softmax';
import { hold, last, release } from '../../tape/tape';
import type { Tensor } from '../../tape/tensor';
import { repeatHeads } from './attention';

/**
 * Attention of query [batch, heads, sequence, d] over key and value, with the sinks [heads] beside the scores: the output
 * [batch, sequence, heads · d], and the weights.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/models/gpt_oss/modeling_gpt_oss.py
 */
export function attendWithSinks(
  attention: SoftmaxAttention,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  mask: Tensor | null,
  sinks: Tensor,
): [Tensor, Tensor] {
  const { tape } = query;
  const [batch = 1, heads = 1, queries = 1, headDim = 1] = query.shape;
  const keys = key.shape[2] ?? 1;
  const valueDim = value.shape[3] ?? headDim;
  const right = key.shape[1] === 1 && heads > 1 ? 'copy-unless-cast' : 'as-is';
  return tape.frame([query, key, value], () => {
    const allKeys = repeatHeads(key, heads);
    const allValues = repeatHeads(value, heads);
    const plainLayout = heads === key.shape[1] && value.positionsFirst ? 'copy' : right;
    const scores = batchedProduct(query, allKeys, [batch, heads, queries, keys], {
      left: query.positionsFirst,
      right,
    });
    let weights = hold(scale(scores));
    if (mask !== null) weights = hold(add(last(weights), mask));
    const column = hold(expand(sinks, [batch, heads, queries, 1]));
    let combined = hold(concatenate([weights, column]));
    const { values, indices } = topK(combined, 1);
    release(indices);
    combined = hold(subtract(last(combined), values));
    const probabilities = hold(softmax(combined, 'given'));
    const withoutSinks = hold(slice(probabilities, keys));
    const dropped = dropout(withoutSinks, attention.dropout);
    const narrow = hold(cast(dropped, value.elementBytes));
    release(weights);
    const output = batchedProduct(narrow, allValues, [batch, heads, queries, valueDim], {
      left: false,
      right: plainLayout,
    });
    return [view(copy(output), [batch, queries, heads * valueDim]), narrow];
  });
}
