/**
 * Multi-head latent attention (DeepSeek V2 and V3): keys and values are spread from one narrow projection, positions turn a part
 * of the query's heads and one part of the key that all heads share.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/deepseek_v3/modeling_deepseek_v3.py
 */
import { joinInNew } from '../../../memory/operations/joining';
import { concatenate, expand, split, splitHeads, view } from '../../../memory/operations/layout';
import { linear } from '../../../memory/operations/linear';
import { normalize } from '../../../memory/operations/norms';
import type { Module } from '../../../memory/tape/module';
import { hold, holdAll, last, release } from '../../../memory/tape/tape';
import type { Tensor } from '../../../memory/tape/tensor';
import type { LatentAttention, Norm, SoftmaxAttention } from '../../../model/architecture';
import { attend, attentionForm } from './attention';
import type { BlockContext } from './causalDecoder';
import { type LatentRotation, rotateLatent } from './latentRotary';

/** Attention of a layer over x [batch, positions, hidden]. */
export type LatentForward = (
  context: Pick<BlockContext, 'forward' | 'stack' | 'tables' | 'mask'>,
  module: Module,
  attention: LatentAttention,
  norm: Norm,
  x: Tensor,
) => Tensor;

/** What the kernels need to know. */
function asSoftmax(attention: LatentAttention): SoftmaxAttention {
  const { heads, plainHeadDim, rotaryHeadDim, valueHeadDim, bias, dropout, window } = attention;
  return {
    kind: 'attention',
    heads,
    keyValueHeads: heads,
    headDim: plainHeadDim + rotaryHeadDim,
    valueHeadDim,
    causal: true,
    window,
    bias: { query: false, key: false, value: false, output: bias },
    projection: 'separate',
    queryKeyNorm: null,
    dropout,
    scoreSoftCap: null,
    sinks: false,
    outputGate: false,
    positions: true,
  };
}

/**
 * `DeepseekV3Attention.forward` over x [batch, positions, hidden]. Backward keeps x, the narrow states before and after their norms, and
 * the kernel's query, key, value and output.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/deepseek_v3/modeling_deepseek_v3.py#L361
 */
export const latentAttention =
  (rotation: LatentRotation): LatentForward =>
  ({ forward, stack, tables, mask }, module, attention, norm, x) => {
    const { tape, batch, sequence } = forward;
    const { heads, keyValueRank, plainHeadDim, rotaryHeadDim } = attention;
    const facts = asSoftmax(attention);
    return tape.call(module.place, [x], () => {
      const wholeQuery = hold(
        splitHeads(projectQuery(module, norm, x), [batch, heads, sequence, facts.headDim], true),
      );
      const [plainQuery, turnedQuery] = halves(wholeQuery, plainHeadDim, rotaryHeadDim);
      const compressed = hold(linear(module.child('kv_a_proj_with_mqa'), x));
      const [plainLatent, keyPart] = halves(compressed, keyValueRank, rotaryHeadDim);
      const normed = hold(normalize(module.child('kv_a_layernorm'), plainLatent, norm));
      release(plainLatent);
      const latent = hold(view(last(normed), [batch, 1, sequence, keyValueRank]));
      const sharedKey = hold(view(last(keyPart), [batch, 1, sequence, rotaryHeadDim]));
      const form = attentionForm(forward, facts, compressed.elementBytes, mask !== null);
      const interleaved = stack.positions.kind === 'rope' && stack.positions.interleaved;
      const [queryPart, sharedPart] = rotateLatent(
        rotation,
        interleaved,
        turnedQuery,
        sharedKey,
        tables,
        form,
      );
      const query = hold(concatenate([plainQuery, queryPart]));
      const [key, value] = holdAll(expandKeyValue(module, attention, latent, sharedPart));
      return linear(module.child('o_proj'), attend(form, facts, { query, key, value, mask }));
    });
  };

/** The query in one step, or through a narrow projection with a norm. */
function projectQuery(module: Module, norm: Norm, x: Tensor): Tensor {
  if (!module.has('q_a_proj')) return linear(module.child('q_proj'), x);
  const narrow = normalize(module.child('q_a_layernorm'), linear(module.child('q_a_proj'), x), norm);
  return linear(module.child('q_b_proj'), narrow);
}

function halves(x: Tensor, first: number, second: number): [Tensor, Tensor] {
  return holdAll(split(x, [first, second]));
}

/** `expand_kv`: keys and values of every head from the latents; the shared part of the key is copied behind each head's own. */
function expandKeyValue(
  module: Module,
  { heads, plainHeadDim, rotaryHeadDim, valueHeadDim }: LatentAttention,
  latent: Tensor,
  shared: Tensor,
): [Tensor, Tensor] {
  const { tape } = latent;
  const [batch = 1, , sequence = 1] = latent.shape;
  return tape.frame([], () => {
    const spread = linear(module.child('kv_b_proj'), latent);
    const headed = hold(splitHeads(spread, [batch, heads, sequence, plainHeadDim + valueHeadDim], true));
    const [own, value] = halves(headed, plainHeadDim, valueHeadDim);
    const everyHeads = hold(expand(shared, [batch, heads, sequence, rotaryHeadDim]));
    return [joinInNew(own, everyHeads), value];
  });
}
