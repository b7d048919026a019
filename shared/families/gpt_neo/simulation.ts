/**
 * GPT-Neo: learned positions, attention written in Python with its products in fp32 and a mask kept as a buffer.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt_neo/modeling_gpt_neo.py
 */
import { act } from '../../memory/operations/activations';
import { add, dropout, where } from '../../memory/operations/elementwise';
import { splitHeads } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { normalize } from '../../memory/operations/norms';
import { hold, last, release } from '../../memory/tape/tape';
import type { Tensor } from '../../memory/tape/tensor';
import type { SoftmaxAttention } from '../../model/architecture';
import { plainLayer } from '../common/simulation/expected';
import {
  type GptBlockContext,
  gptDecoderLoss,
  gptNames,
  learnedPositions,
} from '../common/simulation/gptDecoder';
import { attendInFp32 } from '../common/simulation/wideAttention';

/**
 * `GPTNeoForCausalLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt_neo/modeling_gpt_neo.py#L518
 */
export const simulateGptNeo = gptDecoderLoss({
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
    const [joined, weights] = attendInFp32(attention, { query, key, value, mask }, whereAllowed);
    return [dropout(linear(module.child('out_proj'), joined), stack.dropout.residual), weights];
  });
}

/** Scores where the causal buffer allows them, and the type's minimum elsewhere. */
function whereAllowed(scores: Tensor): Tensor {
  hold(scores.tape.create([1], scores.elementBytes));
  return where(last(scores));
}
