/**
 * GPT-BigCode (SantaCoder, StarCoder): GPT-2 with linear layers and one key-value head for all.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/models/gpt_bigcode/modeling_gpt_bigcode.py
 */
import type { SoftmaxAttention } from '../../model/architecture';
import { act } from '../operations/activations';
import { add, dropout } from '../operations/elementwise';
import { split, splitHeads, viewWithGradientCopy } from '../operations/layout';
import { linear } from '../operations/linear';
import { normalize } from '../operations/norms';
import { hold, last, release } from '../tape/tape';
import type { Tensor } from '../tape/tensor';
import { attend, attentionForm, isWrittenOut } from './parts/attention';
import { type GptBlockContext, gptDecoderLoss, gptNames, learnedPositions } from './parts/gptDecoder';

export const gptBigCodeLoss = gptDecoderLoss({
  names: gptNames,
  prepare: learnedPositions(false),
  block: (context, x) => [bigCodeBlock(context, x)],
});

function bigCodeBlock(context: GptBlockContext, x: Tensor): Tensor {
  const { block, layer, stack } = context;
  const { feedForward, mixer } = layer;
  if (mixer.kind !== 'attention' || feedForward.kind !== 'mlp') throw new Error('Not a GPT-BigCode block.');
  const { residual } = stack.dropout;
  const normed = hold(normalize(block.child('ln_1'), x, layer.norm));
  const attended = hold(bigCodeAttention(context, mixer, normed));
  const middle = hold(add(attended, x));
  release(normed);
  const normedMiddle = hold(normalize(block.child('ln_2'), middle, layer.norm));
  const mlp = block.child('mlp');
  const fed = mlp.tape.call(mlp.place, [normedMiddle], () => {
    const inner = hold(act(feedForward.activation, linear(mlp.child('c_fc'), normedMiddle)));
    return dropout(linear(mlp.child('c_proj'), last(inner)), residual);
  });
  return add(middle, hold(fed));
}

function bigCodeAttention(
  { forward, block, shared, stack }: GptBlockContext,
  attention: SoftmaxAttention,
  x: Tensor,
): Tensor {
  const { tape, batch, sequence } = forward;
  const { heads, headDim, keyValueHeads } = attention;
  const module = block.child('attn');
  return tape.call(module.place, [x], () => {
    const joined = linear(module.child('c_attn'), x);
    const [mask = null] = shared;
    const form = attentionForm(forward, attention, joined.elementBytes, mask !== null);
    const [query, key, value] = (
      keyValueHeads === 1 ? sharedHead(joined, attention, isWrittenOut(form)) : splitByHead(joined, attention)
    ).map((part) => hold(part));
    if (query === undefined || key === undefined || value === undefined) throw new Error('Three parts.');
    const output = attend(form, attention, query, key, value, mask);
    return dropout(linear(module.child('c_proj'), output), stack.dropout.residual);
  });

  function sharedHead(joined: Tensor, { heads: count }: SoftmaxAttention, copied: boolean): Tensor[] {
    const parts = split(joined, [count * headDim, headDim, headDim]);
    return parts.map((part, index) =>
      splitHeads(part, [batch, index === 0 ? heads : 1, sequence, headDim], copied),
    );
  }

  function splitByHead(joined: Tensor, { heads: count }: SoftmaxAttention): Tensor[] {
    const perHead = viewWithGradientCopy(joined, [batch, count, sequence, 3 * headDim]);
    return split(perHead, [headDim, headDim, headDim]).map((part) => {
      part.positionsFirst = count > 1;
      return part;
    });
  }
}
