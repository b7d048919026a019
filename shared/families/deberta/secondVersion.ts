/**
 * DeBERTa's second version (and v3) with a masked-language-model head: scores of contents plus those of contents with distances,
 * written out in Python.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/deberta_v2/modeling_deberta_v2.py
 */
import { gather } from '../../memory/operations/choosing';
import { add, addInPlace, dropout, scale } from '../../memory/operations/elementwise';
import { copy, copyForward, repeat, view } from '../../memory/operations/layout';
import { batchedProduct, linear } from '../../memory/operations/linear';
import { layerNorm } from '../../memory/operations/norms';
import { MissingPart, type Module } from '../../memory/tape/module';
import { hold, last } from '../../memory/tape/tape';
import type { Tensor } from '../../memory/tape/tensor';
import type { SoftmaxAttention, Stack } from '../../model/architecture';
import { relativePositions } from '../common/simulation/relativePositions';
import {
  type DistanceInputs,
  type Shared,
  debertaLossOf,
  distanceTerms,
  pairPlaces,
  weightsOf,
} from './encoder';

/**
 * `DebertaV2ForMaskedLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/deberta_v2/modeling_deberta_v2.py#L887
 */
export const simulateSecondVersion = debertaLossOf({
  norm: layerNorm,
  distances: (tape, { positions }, sequence) =>
    relativePositions(tape, sequence, positions.kind === 'disentangled' && positions.inBuckets),
  attention: selfAttention,
});

/** `DisentangledSelfAttention`, heads folded into the batch. */
function selfAttention(
  module: Module,
  facts: SoftmaxAttention,
  stack: Stack,
  { mask, distances, rows }: Shared,
  x: Tensor,
): Tensor {
  const { tape } = module;
  const { heads, headDim } = facts;
  const [batch = 1, sequence = 1] = x.shape;
  const folded = batch * heads;
  const pairs = [folded, sequence, sequence];
  return tape.call(module.place, [], () => {
    const headed = (name: string): Tensor => hold(inHeads(linear(module.child(name), x), heads, headDim));
    const query = headed('query_proj');
    const key = headed('key_proj');
    const value = headed('value_proj');
    let scores = hold(batchedProduct(query, scale(key), pairs, plain));
    if (rows !== null && distances !== null) {
      const bias = hold(distanceScores(module, facts, stack, { query, key, distances, rows }));
      scores = hold(add(last(scores), bias));
    }
    scores = hold(view(last(scores), [batch, heads, sequence, sequence]));
    const dropped = weightsOf(scores, mask, facts.dropout);
    const output = hold(batchedProduct(view(dropped, pairs), value, [folded, sequence, headDim], plain));
    return copy(output, [batch, sequence, heads * headDim]);
  });
}

const plain = { left: false, right: 'as-is' } as const;

/** `transpose_for_scores`: heads in front, folded into the batch, as a copy. */
function inHeads(flat: Tensor, heads: number, headDim: number): Tensor {
  const [batch = 1, positions = 1] = flat.shape;
  return copy(flat, [batch * heads, positions, headDim]);
}

/** Contents with distances' keys, and distances' queries with contents, picked for each pair of positions. */
function distanceScores(
  module: Module,
  { heads, headDim }: SoftmaxAttention,
  stack: Stack,
  { query, key, distances, rows }: DistanceInputs,
): Tensor {
  const { tape } = module;
  const terms = distanceTerms(stack);
  const [folded = 1, sequence = 1] = query.shape;
  const batch = folded / heads;
  const dropped = hold(dropout(rows, stack.dropout.residual));
  return tape.frame([], () => {
    const [count = 1, width = 1] = rows.shape;
    const table = hold(view(dropped, [1, count, width]));
    const projected = (own: string, shared: string): Tensor => {
      const product = linear(module.child(module.has(own) ? own : shared), table);
      return hold(repeat(inHeads(product, heads, headDim), [batch * heads, count, headDim]));
    };
    const [toPosition, fromPosition] = ['c2p', 'p2c'].map((term) => terms.includes(term));
    const sharesKeys = !module.has('pos_key_proj') && !module.has('pos_query_proj');
    const ofQueries = (): Tensor => projected('pos_query_proj', 'query_proj');
    const ofKeys = (): Tensor => projected('pos_key_proj', 'key_proj');
    let queries = sharesKeys ? ofQueries() : null;
    const keys = sharesKeys || toPosition === true ? ofKeys() : null;
    queries ??= fromPosition === true ? ofQueries() : null;
    const places = (negated: boolean): Tensor => pairPlaces(distances, [folded, sequence, sequence], negated);
    const product = (content: Tensor, place: Tensor): Tensor =>
      batchedProduct(content, place, [folded, sequence, count], plain);
    let score: Tensor | null = null;
    if (toPosition === true && keys !== null) {
      const all = product(query, keys);
      score = hold(copyForward(scale(hold(gather(all, places(false))))));
    }
    if (fromPosition === true && queries !== null) {
      const at = places(true);
      const term = scale(hold(gather(product(key, queries), at)));
      score = hold(score === null ? copyForward(term) : addInPlace(last(score), term));
    }
    if (score === null) throw new MissingPart('The positions have no terms.');
    return score;
  });
}
