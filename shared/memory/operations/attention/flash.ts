import { type Tensor, FP32, INT64 } from '../../tape/tensor';
import { type AttentionCall, attentionSizes, inputGradients, roundUp } from './call';

/** Queries of a block where the keys are split, and the most parts that they are split into. */
const rowsPerBlock = 64;
const maxSplits = 128;

/**
 * Flash attention 2. Keeps query, key, value, output, the log-sum-exp of each row and the random state. Where few heads and
 * short sequences would leave multiprocessors idle, the keys are split and partial outputs meet in fp32. Backward makes the row
 * sums of output times gradient and the query's gradient in fp32, and with grouped heads one gradient of key and value for each
 * query head.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/transformers/cuda/flash_attn/flash_api.cpp
 */
export function flashAttention(call: AttentionCall): Tensor {
  const { query, key, value, dropout } = call;
  const { tape } = query;
  const sizes = attentionSizes(call);
  const { batch, heads, queries, headDim, keyHeads, keys, valueDim, elementBytes } = sizes;
  const roundedDim = headDim <= 192 ? roundUp(headDim, 32) : 256;
  const output = tape.create([batch, heads, queries, valueDim], elementBytes);
  const logSumExp = tape.create([batch, heads, queries], FP32);
  const splits =
    dropout > 0 ? 1 : splitCount(batch * heads, queries, keys, headDim, tape.card.multiprocessors);
  const partial =
    splits === 1
      ? []
      : [
          tape.create([splits, batch, heads, queries], FP32),
          tape.create([splits, batch, heads, queries, roundedDim], FP32),
        ];
  const plainState = tape.create([2], INT64);
  const unused = tape.create([1], INT64);
  const randomState = dropout > 0 ? tape.create([2], INT64) : plainState;
  if (dropout > 0) tape.release(plainState);
  const gradients = inputGradients(call);
  const kept = [query, key, value, output, logSumExp, randomState, unused];
  // An output with heads in front, as its query, is copied into the order that backward reads.
  const copiesOutput = !query.positionsFirst && heads > 1;
  const outputShape = output.shape;
  const node = tape.record([query, key, value], kept, () => {
    const ordered = copiesOutput ? tape.create(outputShape, elementBytes) : null;
    const results = gradients();
    const roundedQueries = roundUp(queries, 128);
    const rowSums = tape.create([batch, heads, roundedQueries], FP32);
    const wideQuery = tape.create([batch, roundedQueries, heads, roundedDim], FP32);
    const expanded =
      keyHeads === heads
        ? []
        : [headDim, valueDim].map((dim) => tape.create([batch, keys, heads, dim], elementBytes));
    for (const used of [...expanded.reverse(), wideQuery, rowSums]) tape.release(used);
    if (ordered !== null) tape.release(ordered);
    return results;
  });
  if (node !== null) tape.attach(output, node, 0);
  for (const used of [...partial, logSumExp, randomState, unused, query, key, value]) tape.consume(used);
  return output;
}

/** How many parts the keys are split into: the fewest that keep the multiprocessors nearly as busy as the best would. */
function splitCount(
  heads: number,
  queries: number,
  keys: number,
  headDim: number,
  multiprocessors: number,
): number {
  const keysPerBlock = headDim <= 64 ? 256 : headDim <= 128 ? 128 : 64;
  const keyBlocks = Math.ceil(keys / keysPerBlock);
  const blocks = heads * Math.ceil(queries / rowsPerBlock);
  const slots = multiprocessors * 2;
  if (blocks >= 0.8 * slots) return 1;
  const candidates: { splits: number; efficiency: number }[] = [];
  for (let splits = 1; splits <= Math.min(maxSplits, slots, keyBlocks); splits++) {
    // A split count that leaves as many blocks to each part as the one before gains nothing.
    if (splits > 1 && Math.ceil(keyBlocks / splits) === Math.ceil(keyBlocks / (splits - 1))) continue;
    const waves = (blocks * splits) / slots;
    candidates.push({ splits, efficiency: waves / Math.ceil(waves) });
  }
  const best = Math.max(...candidates.map(({ efficiency }) => efficiency));
  return candidates.find(({ efficiency }) => efficiency >= 0.85 * best)?.splits ?? 1;
}
