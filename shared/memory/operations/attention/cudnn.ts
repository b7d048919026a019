import type { Tensor } from '../../tape/tensor';
import { FP32, HALF, INT64 } from '../../tape/tensor';
import { type AttentionCall, attentionSizes, inputGradients } from './call';

/** What the plans of H200s asked for with cuDNN 9, whose source is closed. */
const planWorkspaceBytes = 256;

/**
 * cuDNN's fused attention, PyTorch's choice on Hopper and later for 16-bit inputs. Keeps query, key, value, mask, the output, the
 * log-sum-exp of each row in fp32 and the two scalars of the random state. Backward accumulates the query's gradient in fp32
 * and, with grouped heads, makes one gradient of key and value for each query head.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/cudnn/MHA.cpp
 */
export function cudnnAttention(call: AttentionCall): Tensor {
  const { query, key, value, mask } = call;
  const { tape } = query;
  const { batch, heads, queries, headDim, keyHeads, keys, valueDim } = attentionSizes(call);
  tape.usesCudnn = true;
  const seed = tape.create([1], INT64);
  const offset = tape.create([1], INT64);
  const output = tape.create([batch, heads, queries, valueDim], HALF);
  const logSumExp = tape.create([batch, heads, queries], FP32);
  tape.scratch(planWorkspaceBytes);
  const gradients = inputGradients(call);
  const kept = [key, query, value, mask, logSumExp, output, offset, seed];
  const node = tape.record([query, key, value], kept, () => {
    const results = gradients();
    const perHead = keyHeads === heads ? 0 : batch * keys * heads * (headDim + valueDim) * HALF;
    const rows = batch * heads * queries;
    tape.scratch(rows * (headDim * FP32 + FP32) + planWorkspaceBytes + perHead);
    return results;
  });
  if (node !== null) tape.attach(output, node, 0);
  for (const used of [logSumExp, seed, offset, query, key, value]) tape.consume(used);
  return output;
}
