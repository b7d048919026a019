/**
 * GPT-Neo: learned positions, attention written in Python with its products in fp32 and a mask kept as a buffer.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt_neo/modeling_gpt_neo.py
 */
import type { SoftmaxAttention } from '../../model/architecture';
import { act } from '../operations/activations';
import { add, cast, dropout, where } from '../operations/elementwise';
import { copy, splitHeads, view } from '../operations/layout';
import { batchedProduct, linear } from '../operations/linear';
import { normalize } from '../operations/norms';
import { softmax } from '../operations/softmax';
import { hold, last, release } from '../tape/tape';
import { FP32, type Tensor } from '../tape/tensor';
import { plainLayer } from './parts/expected';
import { type GptBlockContext, gptDecoderLoss, gptNames, learnedPositions } from './parts/gptDecoder';

/**
 * `GPTNeoForCausalLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt_neo/modeling_gpt_neo.py#L518
 */
export const gptNeoLoss = gptDecoderLoss({
  names: gptNames,
  prepare: learnedPositions(true),
  block: gptNeoBlock,
});

function gptNeoBlock(context: GptBlockContext, x: Tensor): readonly Tensor[] {
  const { block, layer, stack } = context;
  const { feedForward, mixer } = plainLayer(layer);
  const { residual } = stack.dropout;
  const normed = hold(normalize(block.child('ln_1'), x, layer.norm));
  const [attended, weights] = gptNeoAttention(context, mixer, normed);
  const middle = hold(add(hold(attended), x));
  release(normed);
  const normedMiddle = hold(normalize(block.child('ln_2'), middle, layer.norm));
  const mlp = block.child('mlp');
  const fed = mlp.tape.call(mlp.place, [normedMiddle], () => {
    const inner = hold(act(feedForward.activation, linear(mlp.child('c_fc'), normedMiddle)));
    return dropout(linear(mlp.child('c_proj'), last(inner)), residual);
  });
  return [add(middle, hold(fed)), hold(weights)];
}

function gptNeoAttention(
  { forward, block, shared, stack }: GptBlockContext,
  attention: SoftmaxAttention,
  x: Tensor,
): [Tensor, Tensor] {
  const { tape, batch, sequence } = forward;
  const { heads, headDim } = attention;
  const module = block.child('attn').child('attention');
  const [mask = null] = shared;
  return tape.call(module.place, [x], () => {
    // The key's gradient comes transposed once more and is copied by its projection, not by the view.
    const flatQuery = hold(linear(module.child('q_proj'), x));
    const flatKey = hold(linear(module.child('k_proj'), x, batch > 1));
    const flatValue = hold(linear(module.child('v_proj'), x));
    const shape = [batch, heads, sequence, headDim];
    const query = hold(splitHeads(last(flatQuery), shape, true));
    const key = hold(splitHeads(last(flatKey), shape, false));
    const value = hold(splitHeads(last(flatValue), shape, true));
    const [attended, weights] = tape.frame([], () => attendInFp32(query, key, value, mask, attention));
    const merged = hold(copy(attended));
    const joined = view(merged, [batch, sequence, heads * headDim]);
    return [dropout(linear(module.child('out_proj'), joined), stack.dropout.residual), weights];
  });
}

/** `_attn`: query and key in fp32, scores where the buffer allows them, the padding mask added, softmax, back to half. */
function attendInFp32(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  mask: Tensor | null,
  attention: SoftmaxAttention,
): [Tensor, Tensor] {
  const { tape } = query;
  const [batch = 1, heads = 1, sequence = 1, headDim = 1] = query.shape;
  const wideQuery = hold(cast(query, FP32));
  const wideKey = hold(cast(key, FP32));
  let weights = hold(
    batchedProduct(wideQuery, wideKey, [batch, heads, sequence, sequence], { left: true, right: 'copy' }),
  );
  hold(tape.create([1], weights.elementBytes));
  weights = hold(where(last(weights)));
  if (mask !== null) weights = hold(add(last(weights), mask));
  weights = hold(softmax(last(weights)));
  weights = hold(cast(last(weights), value.elementBytes));
  weights = hold(dropout(last(weights), attention.dropout));
  const output = batchedProduct(weights, value, [batch, heads, sequence, headDim], {
    left: false,
    right: 'copy',
  });
  return [output, weights];
}
