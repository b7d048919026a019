/** T5's attention: no scale of its own, position biases that are trained and added to the scores. */
import { add, dropout, scale } from '../../memory/operations/elementwise';
import { copy, splitHeads, view } from '../../memory/operations/layout';
import { batchedProduct, linear } from '../../memory/operations/linear';
import { softmax } from '../../memory/operations/softmax';
import type { Module } from '../../memory/tape/module';
import { hold, holdAll, last, release } from '../../memory/tape/tape';
import { BOOL, INT64, type Tensor } from '../../memory/tape/tensor';
import type { SoftmaxAttention } from '../../model/architecture';
import {
  type AttentionForm,
  type AttentionOutputs,
  attend,
  attentionForm,
  isWrittenOut,
  layoutForProduct,
} from '../common/simulation/attention';
import { dimension } from '../common/simulation/expected';
import type { Forward } from '../forward';
import { relativeBias } from './t5Positions';

/** What one of T5's attentions reads. */
export interface T5Inputs {
  /** [batch, positions, width]. */
  readonly x: Tensor;
  readonly mask: Tensor | null;
  /** [1, heads, queries, keys]; null where this attention is the one to make it. */
  readonly bias: Tensor | null;
  /** The encoder's output in cross attention. */
  readonly encoded: Tensor | null;
  /** The first layer's biases serve all layers (T5); otherwise each layer makes its own (UMT5). */
  readonly sharesBias: boolean;
}

/** The output [batch, positions, width], the position bias that was used and, in eager attention, the weights. */
export type T5Outputs = readonly [output: Tensor, bias: Tensor, ...weights: Tensor[]];

/**
 * `T5Attention.forward`.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/t5/modeling_t5.py#L176
 */
export function t5Attention(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  inputs: T5Inputs,
): T5Outputs {
  const { tape, batch } = forward;
  const { x, mask, bias, encoded } = inputs;
  const { heads, headDim } = facts;
  return tape.call(module.place, [x], (): T5Outputs => {
    const [, queries = 1] = x.shape;
    const source = encoded ?? x;
    const [, keys = 1] = source.shape;
    const form = attentionForm(forward, facts, x.elementBytes, true, trainedBias(forward, inputs));
    const headed = (name: string, from: Tensor, length: number): Tensor =>
      hold(splitHeads(linear(module.child(name), from), [batch, heads, length, headDim], isWrittenOut(form)));
    const query = headed('q', x, queries);
    const key = headed('k', source, keys);
    const value = headed('v', source, keys);
    const usedBias = bias ?? hold(madeBias(forward, module, facts, inputs, query, keys));
    const call = { query, key, value, mask, bias: usedBias };
    const [attended, ...weights]: AttentionOutputs =
      form === 'eager' ? eagerAttention(facts, call) : [attendWithBias(form, facts, call)];
    const output = linear(module.child('o'), view(attended, [batch, queries, heads * headDim]));
    return [output, usedBias, ...holdAll(weights)];
  });
}

/** Whether the bias has a gradient: that of a table, or the zeros of cross attention, which checkpointing lets require one. */
function trainedBias(forward: Forward, inputs: T5Inputs): 'in-order' | 'transposed' | null {
  if (inputs.encoded === null) return 'transposed';
  return trainsZeros(forward, inputs) ? 'in-order' : null;
}

/** Zeros that all layers share are an input of checkpointed layers, and T5 lets them require a gradient. */
const trainsZeros = ({ checkpointing }: Forward, { sharesBias }: T5Inputs): boolean =>
  sharesBias && checkpointing.kind === 'full';

/** The bias that the first layer makes: a table's rows, or zeros [1, heads, queries, keys] where attention has no table. */
function madeBias(
  forward: Forward,
  module: Module,
  { causal, heads }: SoftmaxAttention,
  inputs: T5Inputs,
  { elementBytes, shape }: Tensor,
  keys: number,
): Tensor {
  const { tape } = forward;
  const [, , queries = 1] = shape;
  if (module.has('relative_attention_bias'))
    return relativeBias(module.child('relative_attention_bias'), heads, queries, keys, causal);
  const zeros = tape.create([1, heads, queries, keys], elementBytes);
  if (trainsZeros(forward, inputs)) tape.requireGradient(zeros);
  return zeros;
}

interface BiasedCall {
  readonly query: Tensor;
  readonly key: Tensor;
  readonly value: Tensor;
  readonly mask: Tensor | null;
  readonly bias: Tensor;
}

/** sdpa: the position bias is the mask; causality is written into it. */
function attendWithBias(
  form: Exclude<AttentionForm, 'eager'>,
  facts: SoftmaxAttention,
  { query, key, value, bias }: BiasedCall,
): Tensor {
  const { tape } = query;
  return tape.frame([], () => {
    const mask = facts.causal ? hold(causalBias(bias)) : bias;
    return attend(form, facts, { query, key, value, mask });
  });
}

/** `create_position_bias_mask`: `torch.where(causal, bias, minimum)`, which keeps the comparison. */
function causalBias(bias: Tensor): Tensor {
  const { tape, elementBytes, shape } = bias;
  const [, , queries = 1, keys = 1] = shape;
  return tape.frame([], () => {
    const from = tape.create([queries], INT64);
    const to = tape.create([keys], INT64);
    const causal = hold(tape.create([queries, keys], BOOL));
    for (const used of [from, to]) release(used);
    const minimum = tape.create([1], elementBytes);
    const masked = tape.apply([bias], [causal], shape, elementBytes, (gradient) => {
      const zero = tape.create([1], gradient.elementBytes);
      const result = tape.create(shape, gradient.elementBytes);
      tape.release(zero);
      return [result];
    });
    release(minimum);
    return masked;
  });
}

/** `eager_attention_forward` of T5: scores without a scale of their own, bias and mask added one after the other. */
function eagerAttention(
  facts: SoftmaxAttention,
  { query, key, value, mask, bias }: BiasedCall,
): [Tensor, Tensor] {
  const { tape, shape } = query;
  const [batch = 1, heads = 1, queries = 1] = shape;
  const keys = dimension(key, 2);
  return tape.frame([], () => {
    const scores = batchedProduct(query, key, [batch, heads, queries, keys], {
      left: query.positionsFirst,
      right: layoutForProduct(key, heads),
    });
    let weights = hold(scale(scores));
    weights = hold(add(last(weights), bias));
    if (mask !== null) weights = hold(add(last(weights), mask));
    const probabilities = hold(softmax(weights));
    release(weights);
    weights = probabilities;
    weights = hold(dropout(last(weights), facts.dropout));
    const output = batchedProduct(weights, value, shape, {
      left: false,
      right: layoutForProduct(value, heads),
    });
    return [copy(output), weights];
  });
}
