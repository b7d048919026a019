/**
 * GPT-BigCode (SantaCoder, StarCoder): GPT-2 with linear layers and one key-value head for all.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt_bigcode/modeling_gpt_bigcode.py
 */
import { act } from '../../memory/operations/activations';
import { add, dropout } from '../../memory/operations/elementwise';
import { split, splitHeads, viewWithGradientCopy } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { normalize } from '../../memory/operations/norms';
import { hold, holdAll, last, release } from '../../memory/tape/tape';
import type { Tensor } from '../../memory/tape/tensor';
import type { SoftmaxAttention } from '../../model/architecture';
import { attend, attentionForm, isWrittenOut } from '../common/simulation/attention';
import { plainLayer } from '../common/simulation/expected';
import {
  type GptBlockContext,
  gptDecoderLoss,
  gptNames,
  learnedPositions,
} from '../common/simulation/gptDecoder';
import type { Forward } from '../forward';

/**
 * `GPTBigCodeForCausalLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt_bigcode/modeling_gpt_bigcode.py#L511
 */
export const simulateGptBigCode = gptDecoderLoss({
  names: gptNames,
  prepare: learnedPositions(false),
  block: (context, x) => [bigCodeBlock(context, x)],
});

function bigCodeBlock(context: GptBlockContext, x: Tensor): Tensor {
  const { block, layer, stack } = context;
  const { feedForward, mixer } = plainLayer(layer);
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
  const { tape } = forward;
  const { keyValueHeads } = attention;
  const module = block.child('attn');
  return tape.call(module.place, [x], () => {
    const joined = linear(module.child('c_attn'), x);
    const [mask = null] = shared;
    const form = attentionForm(forward, attention, joined.elementBytes, mask !== null);
    const [query, key, value] = holdAll(
      keyValueHeads === 1
        ? sharedHead(forward, joined, attention, isWrittenOut(form))
        : splitByHead(forward, joined, attention),
    );
    const output = attend(form, attention, { query, key, value, mask });
    return dropout(linear(module.child('c_proj'), output), stack.dropout.residual);
  });
}

/** Query, key and value [batch, heads, positions, d] of a product for all query heads and one head of keys and values. */
function sharedHead(
  { batch, sequence }: Forward,
  joined: Tensor,
  { heads, headDim }: SoftmaxAttention,
  copied: boolean,
): [Tensor, Tensor, Tensor] {
  const [query, key, value] = split(joined, [heads * headDim, headDim, headDim]);
  const inHeads = (flat: Tensor, count: number): Tensor =>
    splitHeads(flat, [batch, count, sequence, headDim], copied);
  return [inHeads(query, heads), inHeads(key, 1), inHeads(value, 1)];
}

/** The same of a product whose heads each hold a query, a key and a value. */
function splitByHead(
  { batch, sequence }: Forward,
  joined: Tensor,
  { heads, headDim }: SoftmaxAttention,
): [Tensor, Tensor, Tensor] {
  const perHead = viewWithGradientCopy(joined, [batch, heads, sequence, 3 * headDim]);
  const parts = split(perHead, [headDim, headDim, headDim]);
  for (const part of parts) part.positionsFirst = heads > 1;
  return parts;
}
