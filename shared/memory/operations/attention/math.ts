import { hold, last, release } from '../../tape/tape';
import { BOOL, FP32, type Tensor } from '../../tape/tensor';
import { addInPlace, cast, dropout as drop, scale } from '../elementwise';
import { copy, expand, viewWithGradientCopy } from '../layout';
import { batchedProduct } from '../linear';
import { softmax } from '../softmax';
import { type AttentionCall, attentionSizes } from './call';

/**
 * Attention in plain operations, where no kernel serves (fp32 with grouped heads): 16-bit inputs become fp32, the query is
 * scaled, a causal mask is written, keys and values are repeated for every head, then product, softmax, product; results
 * are cast back.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/transformers/attention.cpp
 */
export function mathAttention(call: AttentionCall): Tensor {
  const { query, key, value, mask, causal, dropout } = call;
  const { batch, heads, queries, headDim, keyHeads, keys, valueDim, elementBytes } = attentionSizes(call);
  const [q, k, v] = [query, key, value].map((input) => hold(cast(input, FP32)));
  if (q === undefined || k === undefined || v === undefined) throw new Error('Three inputs.');
  const scaledQuery = hold(scale(q));
  const bias = causal ? hold(writtenCausalMask(q, queries, keys)) : mask;
  const broadcast = call.broadcast === true && keyHeads !== heads;
  const repeat = (x: Tensor, dim: number): Tensor =>
    keyHeads === heads || broadcast ? x : hold(copy(x, [batch, heads, keys, dim]));
  const spread = (x: Tensor, dim: number): Tensor => (broadcast ? expand(x, [batch, heads, keys, dim]) : x);
  const allKeys = repeat(k, headDim);
  const allValues = repeat(v, valueDim);
  const layoutOf = (x: Tensor): 'copy' | 'as-is' => (broadcast || x.positionsFirst ? 'copy' : 'as-is');
  const scores = hold(
    batchedProduct(scaledQuery, spread(scale(allKeys), headDim), [batch, heads, queries, keys], {
      left: scaledQuery.positionsFirst,
      right: layoutOf(allKeys),
    }),
  );
  const masked = bias === null ? scores : hold(addInPlace(last(scores), bias));
  const probabilities = hold(softmax(masked));
  if (bias !== null) zeroWhereAllMasked(probabilities);
  release(masked);
  const dropped = dropout === 0 ? probabilities : hold(drop(probabilities, dropout));
  if (elementBytes !== FP32) hold(cast(dropped, elementBytes));
  const output = batchedProduct(dropped, spread(allValues, valueDim), [batch, heads, queries, valueDim], {
    left: false,
    right: layoutOf(allValues),
  });
  // The gradient comes with positions in front of heads and is copied for the products, unless the batch is one.
  const laidOut = batch > 1 ? viewWithGradientCopy(output, output.shape) : output;
  return cast(laidOut, elementBytes);
}

function writtenCausalMask(query: Tensor, queries: number, keys: number): Tensor {
  const { tape } = query;
  const ones = tape.create([queries, keys], BOOL);
  const triangle = tape.create([queries, keys], BOOL);
  release(ones);
  const zero = tape.create([1], 4);
  const minusInfinity = tape.create([1], 4);
  const mask = tape.create([queries, keys], FP32);
  for (const used of [minusInfinity, zero, triangle]) release(used);
  return mask;
}

/** Rows that are masked everywhere become 0: a comparison, its reduction and the value written. */
function zeroWhereAllMasked(probabilities: Tensor): void {
  const { shape, tape } = probabilities;
  const masked = tape.create(shape, BOOL);
  const rows = tape.create(shape.slice(0, -1), BOOL);
  const zero = tape.create([1], 4);
  for (const used of [zero, rows, masked]) release(used);
}
