/**
 * MPT: ALiBi as a tensor in fp32 that is added to the scores, no biases, attention written in Python.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/mpt/modeling_mpt.py
 */
import { act } from '../../memory/operations/activations';
import { add, cast, dropout, maskedFill, scale } from '../../memory/operations/elementwise';
import { copy, split, splitHeads, view } from '../../memory/operations/layout';
import { batchedProduct, linear } from '../../memory/operations/linear';
import { normalize } from '../../memory/operations/norms';
import { softmax } from '../../memory/operations/softmax';
import { hold, holdAll, last, release } from '../../memory/tape/tape';
import { BOOL, FP32, INT32, INT64, type Tensor } from '../../memory/tape/tensor';
import type { SoftmaxAttention } from '../../model/architecture';
import { headsOf, plainLayer, positionsOf } from '../common/simulation/expected';
import { type GptBlockContext, gptDecoderLoss } from '../common/simulation/gptDecoder';
import { causalMask } from '../common/simulation/masks';
import type { Forward } from '../forward';

/**
 * `MptForCausalLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/mpt/modeling_mpt.py#L368
 */
export const simulateMpt = gptDecoderLoss({
  names: { embedding: 'wte', layers: 'blocks', norm: 'norm_f' },
  prepare: (forward, _model, stack, tokens) => {
    const { tape, batch, sequence } = forward;
    const alibi = hold(alibiOfPositions(forward, headsOf(stack), positionsOf(stack)));
    const written = causalMask(forward, true);
    const mask = hold(tape.create([batch, 1, sequence, sequence], BOOL));
    if (written !== null) release(written);
    return { hidden: tokens, shared: [alibi, mask] };
  },
  block: mptBlock,
});

/** `build_mpt_alibi_tensor`: a slope for each head times the distance of each of the longest sequence's positions. */
function alibiOfPositions({ tape }: Forward, heads: number, positions: number): Tensor {
  return tape.frame([], () => {
    const slopeCount = 2 ** Math.ceil(Math.log2(heads));
    const slopes = (): Tensor => tape.create([slopeCount], FP32);
    hold(tape.create([positions], INT32));
    const indices = tape.create([slopeCount], INT64);
    const wide = slopes();
    release(indices);
    hold(slopes());
    release(wide);
    const powers = slopes();
    tape.scratch(INT64);
    const inverse = slopes();
    hold(slopes());
    release(inverse);
    release(powers);
    if (slopeCount !== heads) hold(slopes());
    return tape.create([heads, 1, positions], FP32);
  });
}

function mptBlock({ block, layer, shared }: GptBlockContext, x: Tensor): readonly Tensor[] {
  const { feedForward, mixer } = plainLayer(layer);
  const { norm } = layer;
  const normed = hold(normalize(block.child('norm_1'), x, norm));
  const [attended, weights] = holdAll(mptAttention(block, mixer, shared, normed));
  const middle = hold(add(dropout(attended, mixer.dropout), x));
  const normedMiddle = hold(normalize(block.child('norm_2'), middle, norm));
  release(normed);
  const ffn = block.child('ffn');
  const output = ffn.tape.call(ffn.place, [normedMiddle, middle], () => {
    const inner = hold(act(feedForward.activation, linear(ffn.child('up_proj'), normedMiddle)));
    const fed = hold(linear(ffn.child('down_proj'), inner));
    return add(dropout(fed, mixer.dropout), middle);
  });
  return [output, weights];
}

function mptAttention(
  block: GptBlockContext['block'],
  attention: SoftmaxAttention,
  [alibi = null, mask = null]: readonly (Tensor | null)[],
  x: Tensor,
): [Tensor, Tensor] {
  const module = block.child('attn');
  const { heads, headDim } = attention;
  const [batch = 1, sequence = 1] = x.shape;
  const size = heads * headDim;
  return module.tape.call(module.place, [x], () => {
    const joined = hold(linear(module.child('Wqkv'), x));
    const [flatQuery, flatKey, flatValue] = split(joined, [size, size, size]);
    const shape = [batch, heads, sequence, headDim];
    const query = hold(splitHeads(flatQuery, shape, true));
    const key = hold(splitHeads(flatKey, shape, false));
    const value = hold(splitHeads(flatValue, shape, true));
    let scores = hold(
      scale(batchedProduct(query, key, [batch, heads, sequence, sequence], { left: true, right: 'copy' })),
    );
    if (alibi !== null) scores = hold(add(last(scores), alibi));
    if (mask !== null) scores = hold(maskedFill(last(scores), mask));
    const weights = hold(dropout(cast(softmax(cast(scores, FP32)), value.elementBytes), attention.dropout));
    const context = batchedProduct(weights, value, [batch, heads, sequence, headDim], {
      left: false,
      right: 'copy',
    });
    const merged = hold(view(copy(context), [batch, sequence, size]));
    return [linear(module.child('out_proj'), merged), weights];
  });
}
