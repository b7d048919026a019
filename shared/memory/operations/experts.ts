/** What mixture-of-experts layers do: sorting tokens by expert, grouped products, and rows gathered by index. */
import { release, type Tape } from '../tape/tape';
import { radixSortBytes, smallSort } from './sorting';
import { FP32, INT64, type Shape, type Tensor, withWidth } from '../tape/tensor';

/** Bits of an int64 key, all of which are sorted. */
const keyBits = 64;

/**
 * `torch.sort` of int64 keys: values and indices; a small sort works on a copy of the keys.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/cuda/Sort.cpp
 */
export function sortKeys(tape: Tape, count: number): { readonly values: Tensor; readonly indices: Tensor } {
  const values = tape.create([count], INT64);
  const indices = tape.create([count], INT64);
  const work = tape.create([count], INT64);
  if (count > smallSort) tape.scratch(radixSortBytes(count, keyBits));
  release(work);
  return { values, indices };
}

/**
 * `x[indices]` along the first dimension: keeps the indices; backward fills a tensor of x's size with zeros and adds the rows, which
 * are sorted by index first. https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/cuda/Indexing.cu
 */
export function gatherRows(x: Tensor, indices: Tensor, count: number): Tensor {
  const { tape, elementBytes, shape } = x;
  const [, ...rest] = shape;
  return tape.apply([x], [indices], [count, ...rest], elementBytes, () => {
    const result = tape.create(shape, elementBytes);
    addRowsScratch(tape, count, shape[0] ?? 1);
    return [result];
  });
}

/** `index_put_` with accumulation: linear indices, then sorted copies of them and of their positions. */
function addRowsScratch(tape: Tape, count: number, rows: number): void {
  const scaled = tape.create([count], INT64);
  const linear = tape.create([count], INT64);
  release(scaled);
  const sorted = tape.create([count], INT64);
  const positions = tape.create([count], INT64);
  const original = tape.create([count], INT64);
  // Only the bits that a row's number needs are sorted.
  const bits = Math.floor(Math.log2(rows)) + 1;
  tape.scratch(radixSortBytes(count, bits));
  for (const used of [original, positions, sorted, linear]) release(used);
}

/** Pointers, sizes and strides of one expert's product. */
const groupArgumentBytes = 60;
/** CUTLASS' workspace for each multiprocessor: tensor maps of 128 bytes for the two inputs and for two outputs. */
const groupedWorkspaceBytes = 4 * 128;

/**
 * `grouped_mm`: rows [S, in], sorted by expert, times each expert's matrix. Keeps rows, weights and offsets. In 16 bit one kernel
 * works on all experts with its arguments and workspace in memory; in fp32 the products run one by one.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/cuda/GroupedBlas.cpp
 */
export function groupedProduct(x: Tensor, weight: Tensor, offsets: Tensor, outer: number): Tensor {
  const { tape, elementBytes, shape } = x;
  const [experts = 1] = weight.shape;
  const weightShape: Shape = weight.shape;
  const kernel = (): void => {
    if (elementBytes === FP32) {
      tape.useCublas();
      return;
    }
    const arguments_ = tape.create([experts * groupArgumentBytes], 1);
    tape.scratch(tape.card.multiprocessors * groupedWorkspaceBytes);
    release(arguments_);
  };
  const [needsInput, needsWeight] = [tape.needs(x), tape.needs(weight)];
  const node = tape.record([x, weight], [needsWeight ? x : null, needsInput ? weight : null, offsets], () => {
    const toWeight = needsWeight ? tape.create(weightShape, elementBytes) : null;
    if (needsWeight) kernel();
    const toInput = needsInput ? tape.create(shape, elementBytes) : null;
    if (needsInput) kernel();
    return [toInput, toWeight];
  });
  const output = tape.create(withWidth(shape, outer), elementBytes);
  kernel();
  if (node !== null) tape.attach(output, node, 0);
  for (const used of [x, weight]) tape.consume(used);
  return output;
}

/** Sum of the k results of each token: [tokens · k, width] to [tokens, width]; backward copies the expanded gradient. */
export function sumChosen(x: Tensor, tokens: number): Tensor {
  const { tape, elementBytes, shape } = x;
  const [, width = 1] = shape;
  return tape.apply([x], [], [tokens, width], elementBytes, () => [tape.create(shape, elementBytes)]);
}
