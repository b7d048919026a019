import { type Tensor, FP32 } from '../../tape/tensor';
import { type AttentionCall, type AttentionSizes, attentionSizes, inputGradients, roundUp } from './call';

/**
 * The memory-efficient kernel. Keeps query, key, value, mask, output and the log-sum-exp in fp32, whose rows are padded to 32.
 * Backward needs delta, the row sum of output times gradient: 16-bit kernels compute it themselves, for fp32 it is made by plain
 * operations; and a workspace in which parts of the gradients meet.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/transformers/cuda/attention_backward.cu
 */
export function efficientAttention(call: AttentionCall): Tensor {
  const { query, key, value, mask } = call;
  const { tape } = query;
  const sizes = attentionSizes(call);
  const { batch, heads, queries, valueDim, elementBytes } = sizes;
  const output = tape.create([batch, heads, queries, valueDim], elementBytes);
  const logSumExp = tape.create([batch, heads, roundUp(queries, 32)], FP32);
  const gradients = inputGradients(call);
  const node = tape.record([query, key, value], [query, key, value, mask, output, logSumExp], () => {
    const results = gradients();
    const delta =
      elementBytes === FP32 ? deltaByPlainOperations() : tape.create([batch, heads, queries], FP32);
    const workspace = tape.create([workspaceBytes(sizes)], 1);
    tape.release(delta);
    tape.release(workspace);
    return results;
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
  for (const used of [logSumExp, query, key, value]) tape.consume(used);
  return output;
}

/** A lock, a counter and padding before each tile of the query's gradient. */
const TILE_HEADER_BYTES = 16;

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
  let bytes = tiles * (TILE_HEADER_BYTES + rows * columns * FP32);
  if (narrow && !inRegisters) {
    const splits = keySplits(batch * heads, Math.ceil(keys / columns));
    bytes += splits * roundUp(keys, columns) * (roundUp(headDim, rows) + roundUp(valueDim, rows)) * FP32;
  }
  return batch * heads * bytes;
}

/** Keys are split to fill the card, but not beyond 200 blocks where each part needs memory of its own. */
function keySplits(heads: number, keyBlocks: number): number {
  if (heads >= 256) return keyBlocks <= 2 ? 1 : keyBlocks;
  return Math.max(1, Math.min(keyBlocks, Math.floor(200 / heads)));
}
