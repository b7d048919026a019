/** DeBERTa's distances between positions. */
import { type Tape, hold, release } from '../../../memory/tape/tape';
import { BOOL, FP32, INT64, type Tensor } from '../../../memory/tape/tensor';

/**
 * `build_relative_position`: distances int64 [1, queries, keys]; in buckets that grow with the logarithm, or as they are. Nothing of it
 * has a gradient.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/deberta_v2/modeling_deberta_v2.py#L72
 */
export function relativePositions(tape: Tape, sequence: number, inBuckets: boolean): Tensor {
  const pairs = [1, sequence, sequence];
  return tape.frame([], () => {
    hold(tape.create([sequence], INT64));
    hold(tape.create([sequence], INT64));
    const distances = tape.create(pairs, INT64);
    if (!inBuckets) return distances;
    const buckets = logBuckets(distances);
    const asIntegers = tape.create(pairs, INT64);
    release(buckets);
    return asIntegers;
  });
}

/** `make_log_bucket_position`, a scripted function: what is not read again goes at once. */
function logBuckets(distances: Tensor): Tensor {
  const { tape } = distances;
  if (tape.scripted.has(LOG_BUCKETS)) return fusedLogBuckets(distances);
  tape.scripted.add(LOG_BUCKETS);
  return plainLogBuckets(distances);
}

const LOG_BUCKETS = 'make_log_bucket_position';

function fusedLogBuckets(distances: Tensor): Tensor {
  const { tape, shape } = distances;
  const sign = tape.create(shape, INT64);
  const middle = tape.create([1], INT64);
  const quotient = tape.create(shape, FP32);
  const cut = tape.create(shape, INT64);
  release(middle);
  const rounded = tape.create(shape, FP32);
  release(quotient);
  const buckets = tape.create(shape, FP32);
  for (const used of [rounded, cut, sign, distances]) release(used);
  return buckets;
}

function plainLogBuckets(distances: Tensor): Tensor {
  const { tape, shape } = distances;
  const sign = tape.create(shape, INT64);
  const below = tape.create(shape, BOOL);
  const above = tape.create(shape, BOOL);
  const isNear = tape.create(shape, BOOL);
  for (const used of [above, below]) release(used);
  const middle = tape.create([1], INT64);
  const magnitude = tape.create(shape, INT64);
  const cut = tape.create(shape, INT64);
  for (const used of [magnitude, middle, isNear]) release(used);
  // Quotient, logarithm, quotient, product, rounded up, sum: each in place of the one before.
  let logarithm = tape.create(shape, FP32);
  for (let step = 1; step < LOGARITHM_STEPS; step++) {
    const next = tape.create(shape, FP32);
    release(logarithm);
    logarithm = next;
  }
  const isSmall = tape.create(shape, BOOL);
  release(cut);
  const asFloats = tape.create(shape, FP32);
  const signed = tape.create(shape, FP32);
  for (const used of [logarithm, sign]) release(used);
  const buckets = tape.create(shape, FP32);
  for (const used of [signed, asFloats, isSmall, distances]) release(used);
  return buckets;
}

const LOGARITHM_STEPS = 6;
