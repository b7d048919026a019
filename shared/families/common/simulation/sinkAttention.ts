/** gpt-oss' attention, which exists in Python only: a learned logit for each head, its sink, takes part in the softmax. */
import { topK } from '../../../memory/operations/choosing';
import { add, cast, dropout, subtract } from '../../../memory/operations/elementwise';
import { concatenate, copy, expand, slice, view } from '../../../memory/operations/layout';
import { softmax } from '../../../memory/operations/softmax';
import { hold, last, release } from '../../../memory/tape/tape';
import type { Tensor } from '../../../memory/tape/tensor';
import type { SoftmaxAttention } from '../../../model/architecture';
import { type AttentionInputs, scoresAndValues, weightedValues } from './attention';
import { dimension } from './expected';

/**
 * Attention of query [batch, heads, positions, d] over key and value, with the sinks [heads] as one more column of the scores: the
 * output [batch, positions, heads · d], and the weights [batch, heads, positions, keys].
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt_oss/modeling_gpt_oss.py#L235
 */
export function attendWithSinks(
  attention: SoftmaxAttention,
  inputs: AttentionInputs,
  sinks: Tensor,
): [Tensor, Tensor] {
  const { query, key, value, mask } = inputs;
  const [batch = 1, heads = 1, queries = 1] = query.shape;
  return query.tape.frame([query, key, value], () => {
    const { scores, values: allValues } = scoresAndValues(inputs);
    let weights = scores;
    if (mask !== null) weights = hold(add(last(weights), mask));
    const column = hold(expand(sinks, [batch, heads, queries, 1]));
    let combined = hold(concatenate([weights, column]));
    const { values, indices } = topK(combined, 1);
    release(indices);
    combined = hold(subtract(last(combined), values));
    const probabilities = hold(softmax(combined, 'given'));
    const withoutSinks = hold(slice(probabilities, dimension(key, 2)));
    const dropped = dropout(withoutSinks, attention.dropout);
    const narrow = hold(cast(dropped, value.elementBytes));
    release(weights);
    const output = copy(weightedValues(narrow, allValues, value));
    return [view(output, [batch, queries, heads * dimension(value, 3)]), narrow];
  });
}
