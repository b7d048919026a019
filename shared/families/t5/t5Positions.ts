/** T5's relative positions: a trained row for each bucket of distances, added to the scores of every pair of positions. */
import { embeddingHeadsFirst } from '../../memory/operations/embedding';
import type { Module } from '../../memory/tape/module';
import { hold, release } from '../../memory/tape/tape';
import { BOOL, FP32, INT64, type Tensor, elements } from '../../memory/tape/tensor';

/**
 * `compute_bias`: distances of all pairs as int64 [queries, keys], their buckets, and the table's rows for them, as
 * [1, heads, queries, keys] in the table's type. Backward keeps the buckets.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/t5/modeling_t5.py#L264
 */
export function relativeBias(
  table: Module,
  heads: number,
  queries: number,
  keys: number,
  isCausal: boolean,
): Tensor {
  const { tape } = table;
  return tape.frame([], () => {
    const range = tape.create([queries], INT64);
    hold(tape.create([queries], INT64));
    release(range);
    hold(tape.create([keys], INT64));
    const distances = hold(tape.create([queries, keys], INT64));
    const buckets = hold(relativeBuckets(distances, isCausal));
    return embeddingHeadsFirst(table, buckets, [1, heads, queries, keys]);
  });
}

/**
 * `_relative_position_bucket`: half of the buckets for exact distances, half for logarithms of larger ones.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/t5/modeling_t5.py#L217
 */
function relativeBuckets(distances: Tensor, isCausal: boolean): Tensor {
  const { tape, shape } = distances;
  const pairs = elements(shape);
  /** A chain of operations, each of which takes the one before. */
  const chain = (bytes: readonly number[]): Tensor =>
    bytes.reduce<Tensor | null>((before, size) => {
      const next = tape.create([pairs], size);
      if (before !== null) release(before);
      return next;
    }, null) ?? distances;
  return tape.frame([], () => {
    // Causal: the negative of the smaller of distance and zero. Otherwise the sign chooses one half of the buckets.
    const ofSign = isCausal ? null : hold(chain([BOOL, INT64, INT64, INT64]));
    hold(isCausal ? chain([INT64, INT64, INT64]) : tape.create([pairs], INT64));
    hold(tape.create([pairs], BOOL));
    const logarithm = chain([FP32, FP32, FP32, FP32, FP32, INT64, INT64]);
    const most = tape.create([pairs], INT64);
    hold(tape.create([pairs], INT64));
    release(most);
    release(logarithm);
    const chosen = tape.create([pairs], INT64);
    if (ofSign !== null) {
      release(chosen);
      return ofSign;
    }
    const sum = tape.create([pairs], INT64);
    release(chosen);
    return sum;
  });
}
