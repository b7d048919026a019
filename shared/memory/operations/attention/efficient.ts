import { elements, FP32, type Shape, type Tensor, width, withWidth } from '../../tape/tensor';
import { expand, slice, viewOfGradient } from '../layout';
import { type AttentionCall, type AttentionSizes, attentionSizes, inputGradients, roundUp } from './call';

/** The kernel reads masks in pieces of as many elements, and writes a mask's gradient in larger ones. */
const maskAlignment = 8;
const maskGradientAlignment = 16;
/** Wider heads do not fit in registers: a 16-bit output then gathers in fp32. */
const widestInRegisters = 128;

/**
 * The memory-efficient kernel. Keeps query, key, value, mask, output and the log-sum-exp in fp32, whose rows are padded to 32.
 * Backward needs delta, the row sum of output times gradient: 16-bit kernels compute it themselves, for fp32 it is made by plain
 * operations; and a workspace in which parts of the gradients meet. A mask's gradient is made for every sample and head.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/transformers/cuda/attention_backward.cu
 */
export function efficientAttention(call: AttentionCall): Tensor {
  const { query, key, value } = call;
  const { tape } = query;
  const sizes = attentionSizes(call);
  const { batch, heads, queries, keys, headDim, valueDim, elementBytes } = sizes;
  const mask = call.mask === null ? null : maskOf(call.mask, [batch, heads, queries, keys]);
  const output = tape.create([batch, heads, queries, valueDim], elementBytes);
  const logSumExp = tape.create([batch, heads, roundUp(queries, 32)], FP32);
  if (elementBytes !== FP32 && Math.max(headDim, valueDim) > widestInRegisters)
    tape.scratch(batch * heads * queries * valueDim * FP32);
  const gradients = inputGradients(call);
  const needsMask = mask !== null && tape.needs(mask);
  const node = tape.record([query, key, value, mask], [query, key, value, mask, output, logSumExp], () => {
    const results = gradients();
    const toMask = needsMask
      ? tape.create([batch, heads, queries, roundUp(keys, maskGradientAlignment)], elementBytes)
      : null;
    const delta =
      elementBytes === FP32 ? deltaByPlainOperations() : tape.create([batch, heads, queries], FP32);
    const workspace = tape.create([workspaceBytes(sizes)], 1);
    tape.release(delta);
    tape.release(workspace);
    if (toMask === null) return results;
    return [...results, viewOfGradient(toMask, [batch, heads, queries, keys])];
  });
  function deltaByPlainOperations(): Tensor {
    const product = tape.create([batch, heads, queries, valueDim], FP32);
    const sum = tape.create([batch, queries, heads], FP32);
    const delta = tape.create([batch, heads, queries], FP32);
    tape.release(sum);
    tape.release(product);
    return delta;
  }
  if (node !== null) tape.attach(output, node, 0);
  for (const used of [logSumExp, query, key, value, mask]) if (used !== null) tape.consume(used);
  return output;
}

/** The mask for every sample and head; where its rows are not aligned, a part of a copy with longer rows. */
function maskOf(mask: Tensor, shape: Shape): Tensor {
  const { tape, elementBytes, shape: own } = mask;
  const keys = width(own);
  const aligned = roundUp(keys, maskAlignment);
  const padded =
    aligned === keys
      ? mask
      : slice(
          tape.apply([mask], [], withWidth(own, aligned), elementBytes, () => [
            tape.create(own, elementBytes),
          ]),
          keys,
        );
  return elements(own) === elements(shape) ? padded : expand(padded, shape);
}

/** Blocks split the keys, where their gradients need memory, as far as there are no more of them. */
const mostBlocks = 200;
/** A lock, a counter and padding before each tile of the query's gradient. */
const tileHeaderBytes = 16;

/**
 * Bytes in which backward's blocks meet: tiles of the query's gradient in fp32, and for wide heads in 16 bit, where a block
 * cannot keep them, the key's and value's gradients too.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/transformers/cuda/mem_eff_attention/kernel_backward.h
 */
function workspaceBytes(sizes: AttentionSizes): number {
  const { batch, heads, queries, keys, headDim, valueDim, elementBytes } = sizes;
  const dim = Math.max(headDim, valueDim);
  const narrow = elementBytes !== FP32;
  const rows = dim > 64 ? 128 : 64;
  // Narrow heads keep key's and value's gradients in registers, and then use wider tiles.
  const inRegisters = narrow && dim <= rows;
  const columns = inRegisters && dim > 64 ? 128 : 64;
  const tiles = Math.ceil(queries / rows) * Math.ceil(headDim / columns);
  let bytes = tiles * (tileHeaderBytes + rows * columns * FP32);
  if (narrow && !inRegisters) {
    const splits = Math.min(Math.ceil(keys / columns), Math.floor(mostBlocks / (batch * heads)));
    bytes += Math.max(1, splits) * columns * (roundUp(headDim, rows) + roundUp(valueDim, rows)) * FP32;
  }
  return batch * heads * bytes;
}
