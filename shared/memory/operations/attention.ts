/**
 * Scaled dot-product attention: which kernel runs, and what each one keeps and allocates. Queries are
 * [batch, heads, sequence, head size], keys and values have their own number of heads.
 */
import { hold, type Tape } from '../tape/tape';
import { BOOL, FP32, HALF, type Shape, type Tensor } from '../tape/tensor';
import { scale } from './elementwise';
import { copy } from './layout';
import { batchedProduct } from './linear';
import { softmax } from './softmax';

export type AttentionKernel = 'cudnn' | 'flash' | 'efficient' | 'math';

interface Sizes {
  readonly batch: number;
  readonly heads: number;
  readonly queries: number;
  readonly headDim: number;
  readonly keyHeads: number;
  readonly keys: number;
  readonly valueDim: number;
}

function sizesOf(query: Tensor, key: Tensor, value: Tensor): Sizes {
  const [batch = 1, heads = 1, queries = 1, headDim = 1] = query.shape;
  const [, keyHeads = 1, keys = 1] = key.shape;
  return { batch, heads, queries, headDim, keyHeads, keys, valueDim: value.shape[3] ?? headDim };
}

/** `scaled_dot_product_attention` by the given kernel. Autocast casts value, key and query, in that order. */
export function scaledDotProduct(query: Tensor, key: Tensor, value: Tensor, kernel: AttentionKernel): Tensor {
  const { tape } = query;
  return tape.frame([query, key, value], () => {
    const [v, k, q] = [tape.castForProduct(value), tape.castForProduct(key), tape.castForProduct(query)];
    switch (kernel) {
      case 'cudnn':
        return cudnn(tape, q, k, v);
      case 'efficient':
      case 'flash':
        return efficient(tape, q, k, v);
      case 'math':
        return math(tape, q, k, v);
    }
  });
}

/**
 * cuDNN's fused attention, PyTorch's choice on Hopper and later for 16-bit inputs. Keeps query, key, value, the output, the
 * log-sum-exp of each row in fp32 and the two scalars of the random state. Backward accumulates the query's gradient in fp32
 * and, with grouped heads, one gradient of key and value for each query head.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/cudnn/MHA.cpp
 */
function cudnn(tape: Tape, query: Tensor, key: Tensor, value: Tensor): Tensor {
  const { batch, heads, queries, headDim, keyHeads, keys, valueDim } = sizesOf(query, key, value);
  const seed = tape.create([1], 8);
  const offset = tape.create([1], 8);
  const output = tape.create([batch, heads, queries, valueDim], HALF);
  const logSumExp = tape.create([batch, heads, queries], FP32);
  tape.scratch(256);
  const node = tape.record([query, key, value], [key, query, value, logSumExp, output, offset, seed], () => {
    const gradients = [query, key, value].map(({ shape }) => tape.create(shape, HALF));
    const perHead = keyHeads === heads ? 0 : 2 * batch * keys * heads * headDim * HALF;
    tape.scratch(batch * heads * queries * (headDim * FP32 + FP32) + 256 + perHead);
    return gradients;
  });
  if (node !== null) tape.attach(output, node, 0);
  for (const used of [logSumExp, seed, offset, query, key, value]) tape.consume(used);
  return output;
}

/**
 * The memory-efficient kernel. Keeps query, key, value, output and the log-sum-exp in fp32, whose rows are padded to 32.
 * Backward makes delta (a row sum of output times gradient) and accumulates the query's gradient in fp32.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/transformers/cuda/attention_backward.cu
 */
function efficient(tape: Tape, query: Tensor, key: Tensor, value: Tensor): Tensor {
  const { batch, heads, queries, headDim, valueDim } = sizesOf(query, key, value);
  const { elementBytes } = query;
  const shapes: readonly Shape[] = [query.shape, key.shape, value.shape];
  const output = tape.create([batch, heads, queries, valueDim], elementBytes);
  const logSumExp = tape.create([batch, heads, Math.ceil(queries / 32) * 32], FP32);
  const node = tape.record([query, key, value], [query, key, value, output, logSumExp], () => {
    const gradients = shapes.map((shape) => tape.create(shape, elementBytes));
    const wideOutput = tape.create([batch, heads, queries, headDim], FP32);
    const delta = tape.create([batch, heads, queries], FP32);
    const deltaCopy = tape.create([batch, heads, queries], FP32);
    tape.release(delta);
    tape.release(wideOutput);
    const workspace = tape.create([batch * heads * (queries * headDim * FP32 + 128)], 1);
    tape.release(deltaCopy);
    tape.release(workspace);
    return gradients;
  });
  if (node !== null) tape.attach(output, node, 0);
  for (const used of [logSumExp, query, key, value]) tape.consume(used);
  return output;
}

/**
 * Attention in plain operations, taken in fp32 with grouped heads: the query is scaled, a causal mask is made in the
 * query's type, keys and values are repeated for every head, then product, softmax, product.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/transformers/attention.cpp
 */
function math(tape: Tape, query: Tensor, key: Tensor, value: Tensor): Tensor {
  const { batch, heads, queries, headDim, keyHeads, keys, valueDim } = sizesOf(query, key, value);
  const scaledQuery = hold(scale(query));
  const mask = causalMask(tape, queries, keys, query.elementBytes);
  const grouped = keyHeads !== heads;
  const repeat = (x: Tensor, dim: number): Tensor => (grouped ? copy(x, [batch, heads, keys, dim]) : x);
  const allKeys = hold(repeat(key, headDim));
  const allValues = hold(repeat(value, valueDim));
  const scores = hold(
    batchedProduct(scaledQuery, scale(allKeys), [batch, heads, queries, keys], {
      left: true,
      right: 'as-is',
    }),
  );
  const probabilities = hold(softmax(scores));
  maskCheck(tape, probabilities);
  tape.release(scores);
  const output = batchedProduct(probabilities, allValues, [batch, heads, queries, valueDim], {
    left: false,
    right: 'as-is',
  });
  tape.release(mask);
  return output;
}

function causalMask(tape: Tape, queries: number, keys: number, elementBytes: number): Tensor {
  const ones = tape.create([queries, keys], BOOL);
  const triangle = tape.create([queries, keys], BOOL);
  tape.release(ones);
  const zero = tape.create([1], 4);
  const minusInfinity = tape.create([1], 4);
  const mask = tape.create([queries, keys], elementBytes);
  for (const used of [minusInfinity, zero, triangle]) tape.release(used);
  return hold(mask);
}

/** Rows that are masked everywhere become 0: a comparison, its reduction and the value written. */
function maskCheck(tape: Tape, probabilities: Tensor): void {
  const { shape } = probabilities;
  const masked = tape.create(shape, BOOL);
  const rows = tape.create(shape.slice(0, -1), BOOL);
  const zero = tape.create([1], 4);
  for (const used of [zero, rows, masked]) tape.release(used);
}
