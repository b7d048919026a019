import { sliceOf, view } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { layerNorm } from '../../memory/operations/norms';
import { hold, last } from '../../memory/tape/tape';
import type { Tensor } from '../../memory/tape/tensor';
import type { AttentionOutputs } from '../common/simulation/attention';
import { causalDecoderLoss, llamaNames } from '../common/simulation/causalDecoder';
import type { AttentionForward } from '../common/simulation/decoderAttention';
import { decoderBlock, llamaBlockCode } from '../common/simulation/decoderBlock';
import { products, turnAndAttend } from '../common/simulation/fusedRotaryAttention';
import type { FamilyForward } from '../forward';

/**
 * `PersimmonForCausalLM.forward` with labels: the loss. The same joined product, with each head's query and key normed before they are
 * rotated.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/persimmon/modeling_persimmon.py#L456
 */
export const simulatePersimmon: FamilyForward = (forward) =>
  causalDecoderLoss(
    forward,
    decoderBlock({ ...llamaBlockCode, dropout: 'mlp', attend: persimmonAttention, mlp: products }),
    { ...llamaNames, norm: 'final_layernorm' },
  );

/** `PersimmonAttention.forward`: query, key and value are picked out of each head. */
const persimmonAttention: AttentionForward = (context, module, attention, x) => {
  const { tape, batch, sequence } = context.forward;
  const { heads, headDim, queryKeyNorm } = attention;
  return tape.call(module.place, [x], (): AttentionOutputs => {
    const joined = hold(linear(module.child('query_key_value'), x));
    const perHead = hold(view(joined, [batch, sequence, heads, 3, headDim]));
    const pick = (): Tensor => hold(sliceOf(perHead, [batch, sequence, heads, headDim]));
    const [plainQuery, plainKey, plainValue] = [pick(), pick(), pick()];
    const inHeads = (part: Tensor): Tensor => {
      const headed = hold(view(last(part), [batch, heads, sequence, headDim]));
      headed.positionsFirst = heads > 1;
      return headed;
    };
    const normed = (name: string, part: Tensor): Tensor =>
      queryKeyNorm === null
        ? part
        : hold(layerNorm(module.child(name), part, { input: true, gradient: true }));
    const query = inHeads(normed('q_layernorm', plainQuery));
    const key = inHeads(normed('k_layernorm', plainKey));
    const value = inHeads(plainValue);
    return [turnAndAttend(context, module, attention, 'outside', [query, key, value])];
  });
};
