/**
 * DeBERTa's first version with a masked-language-model head: query, key and value of one product, norms written in Python, and
 * scores of contents plus those of contents with distances.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/deberta/modeling_deberta.py
 */
import { gather } from '../../memory/operations/choosing';
import { add, addInPlace, dropout, scale, scaleViewInPlace } from '../../memory/operations/elementwise';
import {
  copy,
  copyForProduct,
  copyForward,
  sliceOf,
  split,
  view,
  viewWithGradientCopy,
} from '../../memory/operations/layout';
import { batchedProduct, linear } from '../../memory/operations/linear';
import { debertaNorm } from '../../memory/operations/norms';
import { sumColumns } from '../../memory/operations/reductions';
import { MissingPart, type Module } from '../../memory/tape/module';
import { type Tape, hold, holdAll, last, release } from '../../memory/tape/tape';
import { INT64, type Tensor, elements } from '../../memory/tape/tensor';
import type { SoftmaxAttention, Stack } from '../../model/architecture';
import {
  type DistanceInputs,
  type Shared,
  debertaLossOf,
  distanceTerms,
  pairPlaces,
  weightsOf,
} from './encoder';

/**
 * `DebertaForMaskedLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/deberta/modeling_deberta.py#L814
 */
export const simulateFirstVersion = debertaLossOf({
  norm: debertaNorm,
  distances: (tape, _stack, sequence) => plainDistances(tape, sequence),
  attention: selfAttention,
});

/** `build_relative_position`, a scripted function: what is not read again goes at once. */
function plainDistances(tape: Tape, sequence: number): Tensor {
  const queries = tape.create([sequence], INT64);
  const keys = tape.create([sequence], INT64);
  const spread = tape.create([sequence, sequence], INT64);
  release(keys);
  const distances = tape.create([1, sequence, sequence], INT64);
  for (const used of [spread, queries]) release(used);
  return distances;
}

/** `DisentangledSelfAttention`. */
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
  const pairs = [batch, heads, sequence, sequence];
  return tape.call(module.place, [], () => {
    const fused = hold(linear(module.child('in_proj'), x));
    const inHeads = hold(viewWithGradientCopy(fused, [batch, heads, sequence, 3 * headDim]));
    inHeads.positionsFirst = true;
    const parts = holdAll(split(inHeads, [headDim, headDim, headDim]));
    for (const part of parts) part.positionsFirst = true;
    const [plainQuery, key, plainValue] = parts;
    let query = hold(addBias(plainQuery, module.parameter('q_bias')));
    const value = hold(addBias(plainValue, module.parameter('v_bias')));
    query = hold(scale(last(query)));
    let scores = hold(batchedProduct(query, key, pairs, copied));
    if (rows !== null && distances !== null) {
      const bias = hold(distanceScores(module, facts, stack, { query, key, distances, rows }));
      scores = hold(add(last(scores), bias));
    }
    if (module.has('head_logits_proj'))
      scores = hold(acrossHeads(module.child('head_logits_proj'), last(scores)));
    let dropped = weightsOf(scores, mask, facts.dropout);
    if (module.has('head_weights_proj'))
      dropped = hold(acrossHeads(module.child('head_weights_proj'), last(dropped)));
    const output = hold(
      batchedProduct(dropped, value, [batch, heads, sequence, headDim], { left: false, right: 'copy' }),
    );
    return copy(output, [batch, sequence, heads * headDim]);
  });
}

/** A linear layer over the heads of scores or weights (`talking_head`), which are brought behind the pairs of positions for it. */
function acrossHeads(layer: Module, x: Tensor): Tensor {
  const { shape } = x;
  const [batch = 1, heads = 1, queries = 1, keys = 1] = shape;
  return view(linear(layer, copy(x, [batch, queries, keys, heads])), shape);
}

/** A bias for each head's elements; its gradient sums rows of all heads, as they lie. */
function addBias(x: Tensor, bias: Tensor): Tensor {
  const { tape, shape } = x;
  const elementBytes = Math.max(x.elementBytes, bias.elementBytes);
  const columns = elements(bias.shape);
  const rows = elements(shape) / columns;
  const trained = tape.needs(bias);
  const output = tape.apply([x, bias], [], shape, elementBytes, (gradient) => [
    gradient,
    trained ? sumColumns(tape, rows, columns, gradient.elementBytes) : null,
  ]);
  output.positionsFirst = true;
  return output;
}

/** Both sides lie with positions before heads. */
const copied = { left: true, right: 'copy' } as const;

/** Contents with distances' keys, and distances' queries with contents, picked for each pair of positions. */
function distanceScores(
  module: Module,
  { heads, headDim }: SoftmaxAttention,
  stack: Stack,
  { query, key, distances, rows }: DistanceInputs,
): Tensor {
  const { tape } = module;
  const terms = distanceTerms(stack);
  const [batch = 1, , sequence = 1] = query.shape;
  const dropped = hold(dropout(rows, stack.dropout.residual));
  return tape.frame([], () => {
    const [all = 1, width = 1] = rows.shape;
    const count = Math.min(2 * sequence, all);
    const table = hold(count < all ? sliceOf(dropped, [1, count, width]) : view(dropped, [1, count, width]));
    // The projected distances by heads, which every sample sees.
    const inHeads = [1, heads, count, headDim];
    const headed = (made: Tensor): Tensor => {
      made.positionsFirst = true;
      return hold(made);
    };
    const everywhere = (x: Tensor): Tensor => copyForward(x, [batch, heads, count, headDim]);
    const places = (negated: boolean): Tensor =>
      pairPlaces(distances, [batch, heads, sequence, sequence], negated);
    const product = (content: Tensor, place: Tensor): Tensor =>
      tape.frame([], () => {
        const left = hold(tape.castForProduct(content));
        const inOrder = hold(copyForProduct(left));
        return batchedProduct(inOrder, everywhere(place), [batch, heads, sequence, count], {
          left: false,
          right: 'as-is',
        });
      });
    let score: Tensor | null = null;
    if (terms.includes('c2p')) {
      // A key's gradient comes transposed, which can be joined as it lies.
      const scored = product(query, headed(view(linear(module.child('pos_proj'), table), inHeads)));
      score = hold(copyForward(hold(gather(scored, places(false)))));
    }
    if (terms.includes('p2c')) {
      const flat = scaleViewInPlace(linear(module.child('pos_q_proj'), table));
      const queries = headed(viewWithGradientCopy(flat, inHeads));
      const at = places(true);
      const term = hold(gather(product(key, queries), at));
      score = hold(score === null ? copyForward(term) : addInPlace(last(score), term));
    }
    if (score === null) throw new MissingPart('The positions have no terms.');
    return score;
  });
}
