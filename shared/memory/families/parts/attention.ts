/** The attention interfaces of transformers: eager, written out in Python, and sdpa. */
import type { SoftmaxAttention } from '../../../model/architecture';
import { type AttentionKernel, scaledDotProduct } from '../../operations/attention';
import { activationKeepingOutput, add, cast, dropout, scale } from '../../operations/elementwise';
import { chooseKernel } from '../../operations/kernels';
import { copy, copyForward, expand, view } from '../../operations/layout';
import { batchedProduct } from '../../operations/linear';
import { softmax } from '../../operations/softmax';
import { checkpoint } from '../../tape/checkpoint';
import { hold, last, release } from '../../tape/tape';
import { HALF, type Tensor } from '../../tape/tensor';
import type { Forward } from '../context';

/** What really runs: Python code or a kernel. */
export type AttentionForm = 'eager' | AttentionKernel;

/** Products of plain matrices, whose gradients come with heads in front of positions. */
export const isWrittenOut = (form: AttentionForm): boolean => form === 'eager' || form === 'math';

/** Eager attention's softmax: in fp32 and cast to the query's type, in its own type and cast to the value's, or left as it is. */
export type EagerSoftmax = 'fp32' | 'own' | 'uncast';

/** The form for an attention whose projections have elements of `elementBytes`; `trainedMask` as in `KernelQuestion`. */
export function attentionForm(
  forward: Forward,
  attention: SoftmaxAttention,
  elementBytes: number,
  hasMask: boolean,
  trainedMask: 'in-order' | 'transposed' | null = null,
): AttentionForm {
  const { tape, attention: request } = forward;
  if (request === 'eager') return 'eager';
  return chooseKernel({
    request,
    elementBytes: tape.autocast ? HALF : elementBytes,
    headDim: attention.headDim,
    valueDim: attention.valueHeadDim,
    grouped: attention.keyValueHeads !== attention.heads && !repeatsHeads(attention.headDim, hasMask),
    hasMask,
    trainedMask,
    cudnnAttention: tape.card.cudnnAttention,
    flashAttention: tape.card.flashAttention,
  });
}

/** Where transformers repeats keys and values itself instead of asking the kernel to (`use_gqa_in_sdpa`). */
const repeatsHeads = (headDim: number, hasMask: boolean): boolean => hasMask || headDim > 256;

/** Keys or values for every query head: one key-value head is repeated by a view, several by a copy. */
export function repeatHeads(x: Tensor, heads: number): Tensor {
  const [batch = 1, count = 1, keys = 1, dim = 1] = x.shape;
  if (count === heads) return x;
  const shape = [batch, heads, keys, dim];
  return hold(count === 1 ? expand(x, shape) : copy(x, shape));
}

/** Attention of query [batch, heads, sequence, d] over key and value; the result is [batch, sequence, heads · d]. */
export function attend(
  form: AttentionForm,
  attention: SoftmaxAttention,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  mask: Tensor | null,
  eagerSoftmax: EagerSoftmax = 'fp32',
): Tensor {
  return query.tape.frame([query, key, value], () => {
    const [output] = attendWithWeights(form, attention, query, key, value, mask, eagerSoftmax);
    return output;
  });
}

/**
 * As `attend`, with the weights that eager attention returns beside the output: a decoder layer throws them away under a name, which
 * keeps them until the layer ends.
 */
export function attendInLayer(
  form: AttentionForm,
  attention: SoftmaxAttention,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  mask: Tensor | null,
): [Tensor] | [Tensor, Tensor] {
  const { tape } = query;
  if (form !== 'eager' || tape.recomputesAttention) return [attend(form, attention, query, key, value, mask)];
  return tape.frame([query, key, value], () => attendWithWeights(form, attention, query, key, value, mask));
}

/** As `attend`, with eager attention's weights beside the output: code that names them keeps them. */
export function attendWithWeights(
  form: AttentionForm,
  attention: SoftmaxAttention,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  mask: Tensor | null,
  eagerSoftmax: EagerSoftmax = 'fp32',
): [Tensor] | [Tensor, Tensor] {
  const { tape } = query;
  const run = (q: Tensor, k: Tensor, v: Tensor, bias: Tensor | null): [Tensor] | [Tensor, Tensor] =>
    outputAndWeights(form, attention, q, k, v, bias, eagerSoftmax);
  if (!tape.recomputesAttention) return run(query, key, value, mask);
  tape.recomputedAttention = true;
  // What is recomputed gives its output only: a name for the weights would keep them.
  return [
    checkpoint(tape, [query, key, value], [mask], ([q = query, k = key, v = value], [bias = null]) =>
      tape.frame([q, k, v], () => run(q, k, v, bias)[0]),
    ),
  ];
}

function outputAndWeights(
  form: AttentionForm,
  attention: SoftmaxAttention,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  mask: Tensor | null,
  eagerSoftmax: EagerSoftmax,
): [Tensor] | [Tensor, Tensor] {
  const [batch = 1, heads = 1, queries = 1, headDim = 1] = query.shape;
  const joined = [batch, queries, heads * (value.shape[3] ?? 1)];
  if (form === 'eager') {
    const [output, weights] = eagerAttention(attention, query, key, value, mask, eagerSoftmax);
    return [view(output, joined), weights];
  }
  const repeats = repeatsHeads(headDim, mask !== null);
  const call = {
    query,
    key: repeats ? repeatHeads(key, heads) : key,
    value: repeats ? repeatHeads(value, heads) : value,
    mask,
    causal: mask === null && attention.causal,
    dropout: attention.dropout,
  };
  const inOrder = outputIsInOrder(form, query);
  const output = scaledDotProduct(call, form);
  return [view(inOrder ? output : copyForward(output), joined)];
}

/** Whether a kernel's output has positions before heads, so that joining the heads needs no copy. */
function outputIsInOrder(kernel: AttentionKernel, query: Tensor): boolean {
  switch (kernel) {
    case 'efficient':
      return true;
    case 'math':
      return false;
    case 'cudnn':
    case 'flash':
      return query.positionsFirst || query.shape[1] === 1;
  }
}

/** `eager_attention_forward`: repeated keys and values, scaled scores, mask, softmax in fp32, dropout, product. */
function eagerAttention(
  attention: SoftmaxAttention,
  query: Tensor,
  key: Tensor,
  value: Tensor,
  mask: Tensor | null,
  eagerSoftmax: EagerSoftmax,
): [Tensor, Tensor] {
  const { tape } = query;
  const [batch = 1, heads = 1, queries = 1, headDim = 1] = query.shape;
  const keys = key.shape[2] ?? 1;
  const valueDim = value.shape[3] ?? headDim;
  const grouped = key.shape[1] !== heads;
  return tape.frame([query, key, value], () => {
    const layoutOf = (x: Tensor): 'copy' | 'copy-unless-cast' | 'as-is' => {
      if (grouped) return key.shape[1] === 1 ? 'copy-unless-cast' : 'as-is';
      return x.positionsFirst ? 'copy' : 'as-is';
    };
    const allKeys = repeatHeads(key, heads);
    const allValues = repeatHeads(value, heads);
    const scores = batchedProduct(query, allKeys, [batch, heads, queries, keys], {
      left: query.positionsFirst,
      right: layoutOf(key),
    });
    let weights = hold(scale(scores));
    if (attention.scoreSoftCap !== null)
      for (const step of [scale, activationKeepingOutput, scale]) weights = hold(step(last(weights)));
    if (mask !== null) weights = hold(add(last(weights), mask));
    const probabilities = hold(
      eagerSoftmax === 'fp32' ? cast(softmax(weights, 'fp32'), query.elementBytes) : softmax(weights),
    );
    release(weights);
    const castBytes = {
      fp32: query.elementBytes,
      own: value.elementBytes,
      uncast: probabilities.elementBytes,
    }[eagerSoftmax];
    weights = hold(cast(last(probabilities), castBytes));
    weights = hold(dropout(last(weights), attention.dropout));
    const output = batchedProduct(weights, allValues, [batch, heads, queries, valueDim], {
      left: false,
      right: layoutOf(value),
    });
    return [copy(output), weights];
  });
}
