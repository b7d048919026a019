/**
 * The attention interfaces of transformers: eager, written out in Python, and sdpa.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/integrations/sdpa_attention.py#L79
 */
import { type AttentionKernel, scaledDotProduct } from '../../../memory/operations/attention';
import { activationKeepingOutput, add, cast, dropout, scale } from '../../../memory/operations/elementwise';
import { chooseKernel } from '../../../memory/operations/kernels';
import { copy, copyForward, expand, view } from '../../../memory/operations/layout';
import { batchedProduct } from '../../../memory/operations/linear';
import { softmax } from '../../../memory/operations/softmax';
import { checkpoint } from '../../../memory/tape/checkpoint';
import { hold, last, release } from '../../../memory/tape/tape';
import { HALF, type Tensor } from '../../../memory/tape/tensor';
import type { SoftmaxAttention } from '../../../model/architecture';
import type { Forward } from '../../forward';
import { dimension } from './expected';

/** What really runs: Python code or a kernel. */
export type AttentionForm = 'eager' | AttentionKernel;

/** Products of plain matrices, whose gradients come with heads in front of positions. */
export const isWrittenOut = (form: AttentionForm): boolean => form === 'eager' || form === 'math';

/** Eager attention's softmax: in fp32 and cast to the query's type, in its own type and cast to the value's, or left as it is. */
export type EagerSoftmax = 'fp32' | 'own' | 'uncast';

/**
 * The form for an attention whose projections have elements of `elementBytes`, after which layouts and the kernel's own tensors go;
 * `trainedMask` as in `KernelQuestion`. Makes nothing.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/integrations/sdpa_attention.py#L79
 */
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
    grouped: attention.keyValueHeads !== attention.heads && !repeatsHeads(attention, hasMask),
    hasMask,
    trainedMask,
    cudnnAttention: tape.card.cudnnAttention,
    flashAttention: tape.card.flashAttention,
  });
}

/**
 * Where transformers repeats keys and values itself instead of asking the kernel to.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/integrations/sdpa_attention.py#L27
 */
const repeatsHeads = (
  { headDim, valueHeadDim }: Pick<SoftmaxAttention, 'headDim' | 'valueHeadDim'>,
  hasMask: boolean,
): boolean => hasMask || headDim !== valueHeadDim || headDim > 256;

/**
 * `repeat_kv`: keys or values [batch, own heads, positions, d] for every query head; one head is repeated by a view, several by a copy.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/integrations/sdpa_attention.py#L15
 */
function repeatHeads(x: Tensor, heads: number): Tensor {
  const [batch = 1, count = 1, keys = 1, dim = 1] = x.shape;
  if (count === heads) return x;
  const shape = [batch, heads, keys, dim];
  return hold(count === 1 ? expand(x, shape) : copy(x, shape));
}

/** How a product with query heads reads keys or values: repeated ones lie in order, others as their projection left them. */
export function layoutForProduct(x: Tensor, heads: number): 'copy' | 'copy-unless-cast' | 'as-is' {
  const own = dimension(x, 1);
  if (own !== heads) return own === 1 ? 'copy-unless-cast' : 'as-is';
  return x.positionsFirst ? 'copy' : 'as-is';
}

/** What attention is given: query [batch, heads, positions, d], key and value of as many or fewer heads, and a mask. */
export interface AttentionInputs {
  readonly query: Tensor;
  readonly key: Tensor;
  readonly value: Tensor;
  /** Added to the scores; null: none, or causality that a kernel knows by itself. */
  readonly mask: Tensor | null;
}

/** The output [batch, positions, heads · d] and, of eager attention, the weights [batch, heads, positions, keys]. */
export type AttentionOutputs = readonly [output: Tensor, ...weights: Tensor[]];

/** Attention's output [batch, positions, heads · d]; weights are let go. */
export function attend(
  form: AttentionForm,
  attention: SoftmaxAttention,
  inputs: AttentionInputs,
  eagerSoftmax: EagerSoftmax = 'fp32',
): Tensor {
  const { query, key, value } = inputs;
  return query.tape.frame([query, key, value], () => {
    const [output] = attendWithWeights(form, attention, inputs, eagerSoftmax);
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
  inputs: AttentionInputs,
): AttentionOutputs {
  const { query, key, value } = inputs;
  const { tape } = query;
  if (form !== 'eager' || tape.recomputesAttention) return [attend(form, attention, inputs)];
  return tape.frame([query, key, value], () => attendWithWeights(form, attention, inputs));
}

/** As `attend`, with eager attention's weights beside the output: code that names them keeps them. */
export function attendWithWeights(
  form: AttentionForm,
  attention: SoftmaxAttention,
  inputs: AttentionInputs,
  eagerSoftmax: EagerSoftmax = 'fp32',
): AttentionOutputs {
  const { query, key, value, mask } = inputs;
  const { tape } = query;
  if (!tape.recomputesAttention) return outputAndWeights(form, attention, inputs, eagerSoftmax);
  tape.recomputedAttention = true;
  // What is recomputed gives its output only: a name for the weights would keep them.
  return [
    checkpoint(tape, [query, key, value], [mask], ([q = query, k = key, v = value], [given = null]) =>
      tape.frame([q, k, v], () => {
        const again = { query: q, key: k, value: v, mask: given };
        return outputAndWeights(form, attention, again, eagerSoftmax)[0];
      }),
    ),
  ];
}

function outputAndWeights(
  form: AttentionForm,
  attention: SoftmaxAttention,
  inputs: AttentionInputs,
  eagerSoftmax: EagerSoftmax,
): AttentionOutputs {
  const { query, key, value, mask } = inputs;
  const [batch = 1, heads = 1, queries = 1, headDim = 1] = query.shape;
  const valueHeadDim = dimension(value, 3);
  const joined = [batch, queries, heads * valueHeadDim];
  if (form === 'eager') {
    const [output, weights] = eagerAttention(attention, inputs, eagerSoftmax);
    return [view(output, joined), weights];
  }
  const repeats = repeatsHeads({ headDim, valueHeadDim }, mask !== null);
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

/**
 * `eager_attention_forward`: repeated keys and values, scaled scores, mask, softmax in fp32, dropout, product. Softmax
 * keeps its result and the product the weights, both [batch, heads, positions, keys].
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/llama/modeling_llama.py#L191
 */
function eagerAttention(
  attention: SoftmaxAttention,
  inputs: AttentionInputs,
  eagerSoftmax: EagerSoftmax,
): [Tensor, Tensor] {
  const { query, key, value, mask } = inputs;
  return query.tape.frame([query, key, value], () => {
    const { scores, values } = scoresAndValues(inputs);
    let weights = scores;
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
    return [copy(weightedValues(weights, values, value)), weights];
  });
}

/** Scaled scores [batch, heads, positions, keys] of the query with the keys, and values for every query head; both held. */
export function scoresAndValues({ query, key, value }: AttentionInputs): {
  readonly scores: Tensor;
  readonly values: Tensor;
} {
  const [batch = 1, heads = 1, queries = 1] = query.shape;
  const keys = repeatHeads(key, heads);
  const values = repeatHeads(value, heads);
  const products = batchedProduct(query, keys, [batch, heads, queries, dimension(key, 2)], {
    left: query.positionsFirst,
    right: layoutForProduct(key, heads),
  });
  return { scores: hold(scale(products)), values };
}

/** Weights times values [batch, heads, positions, d]; `value` is what the values were before they were repeated. */
export function weightedValues(weights: Tensor, values: Tensor, value: Tensor): Tensor {
  const [batch = 1, heads = 1, queries = 1] = weights.shape;
  const right = layoutForProduct(value, heads);
  return batchedProduct(weights, values, [batch, heads, queries, dimension(value, 3)], {
    left: false,
    right,
  });
}
