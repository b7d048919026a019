import { split, viewWithGradientCopy } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { hold, holdAll } from '../../memory/tape/tape';
import type { AttentionOutputs } from '../common/simulation/attention';
import { causalDecoderLoss } from '../common/simulation/causalDecoder';
import type { AttentionForward } from '../common/simulation/decoderAttention';
import { decoderBlock, llamaBlockCode } from '../common/simulation/decoderBlock';
import { names, products, turnAndAttend } from '../common/simulation/fusedRotaryAttention';
import type { FamilyForward } from '../forward';

/**
 * `GPTNeoXForCausalLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt_neox/modeling_gpt_neox.py#L387
 */
export const simulateGptNeox: FamilyForward = (forward) =>
  causalDecoderLoss(
    forward,
    decoderBlock({
      ...llamaBlockCode,
      sum: 'branches-first',
      attention: 'attention',
      attend: neoxAttention,
      mlp: products,
    }),
    names,
  );

/** `GPTNeoXAttention.forward`: heads of 3 · d come first, then each is cut into query, key and value. */
const neoxAttention: AttentionForward = (context, module, attention, x) => {
  const { tape, batch, sequence } = context.forward;
  const { heads, headDim } = attention;
  return tape.call(module.place, [x], (): AttentionOutputs => {
    const joined = linear(module.child('query_key_value'), x);
    const perHead = hold(viewWithGradientCopy(joined, [batch, heads, sequence, 3 * headDim]));
    const [query, key, value] = holdAll(split(perHead, [headDim, headDim, headDim]));
    for (const part of [query, key, value]) part.positionsFirst = heads > 1;
    return [turnAndAttend(context, module, attention, 'inside', [query, key, value])];
  });
};
