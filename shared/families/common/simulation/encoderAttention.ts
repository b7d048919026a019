/** Query, key and value by three products and attention over them: what BERT, its relatives, BART and towers share. */
import { splitHeads } from '../../../memory/operations/layout';
import { linear } from '../../../memory/operations/linear';
import type { Module } from '../../../memory/tape/module';
import { hold, holdAll, last } from '../../../memory/tape/tape';
import type { Tensor } from '../../../memory/tape/tensor';
import type { SoftmaxAttention } from '../../../model/architecture';
import type { Forward } from '../../forward';
import {
  type AttentionOutputs,
  type EagerSoftmax,
  attendWithWeights,
  attentionForm,
  isWrittenOut,
} from './attention';

type Role = 'query' | 'key' | 'value';

/** Names of the three products, and how the code around them reads. */
export interface ProjectionNames {
  readonly query: string;
  readonly key: string;
  readonly value: string;
  /** What eager attention's softmax becomes; left as it is where it is not given. */
  readonly eagerSoftmax?: EagerSoftmax;
  /** All three run before the first output is split into heads (CLIP). */
  readonly splitsLater?: boolean;
  /** The order in which they run; query, key, value where it is not given. */
  readonly order?: readonly Role[];
}

/** The names of a module that ends in a fourth product. */
export interface EncoderAttentionNames extends ProjectionNames {
  readonly output: string;
}

/** BERT's names. */
export const bertProjections: ProjectionNames = { query: 'query', key: 'key', value: 'value' };

/**
 * The attention of `x` [batch, queries, width] over `source` [batch, keys, width], without the last product: the output
 * [batch, queries, heads · d] and, in eager attention, the weights, which this code names and so keeps. Backward keeps `x`, `source`
 * and what the kernel keeps of query, key, value and output.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bert/modeling_bert.py#L139
 */
export function projectAndAttend(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  names: ProjectionNames,
  x: Tensor,
  source: Tensor = x,
  mask: Tensor | null = null,
): AttentionOutputs {
  const { heads, headDim } = facts;
  const trainedMask = mask !== null && forward.tape.needs(mask) ? 'in-order' : null;
  const form = attentionForm(forward, facts, x.elementBytes, mask !== null, trainedMask);
  const writtenOut = isWrittenOut(form);
  // A key's gradient comes transposed, which can be joined as it lies: the product's backward copies it.
  const copiedByProduct = (role: Role): boolean => names.splitsLater === true && writtenOut && role === 'key';
  const project = (role: Role): Tensor =>
    linear(module.child(names[role]), role === 'query' ? x : source, copiedByProduct(role));
  const headed = (role: Role, flat: Tensor): Tensor => {
    const [batch = 1, positions = 1] = flat.shape;
    const copied = writtenOut && !copiedByProduct(role);
    return hold(splitHeads(flat, [batch, heads, positions, headDim], copied));
  };
  const made = new Map<Role, Tensor>();
  const order = names.order ?? (['query', 'key', 'value'] as const);
  if (names.splitsLater === true) {
    const flat = order.map((role) => [role, hold(project(role))] as const);
    for (const [role, output] of flat) made.set(role, headed(role, last(output)));
  } else for (const role of order) made.set(role, headed(role, project(role)));
  const madeOf = (role: Role): Tensor => {
    const tensor = made.get(role);
    if (tensor === undefined) throw new Error(`The order leaves out the ${role}.`);
    return tensor;
  };
  const inputs = { query: madeOf('query'), key: madeOf('key'), value: madeOf('value'), mask };
  return attendWithWeights(form, facts, inputs, names.eagerSoftmax ?? 'uncast');
}

/** As `projectAndAttend`, in a module that ends in one more product [batch, positions, width]; the weights stay beside its output. */
export function attentionModule(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  names: EncoderAttentionNames,
  x: Tensor,
  mask: Tensor | null = null,
): AttentionOutputs {
  return forward.tape.call(module.place, [x], (): AttentionOutputs => {
    const [joined, ...weights] = holdAll(projectAndAttend(forward, module, facts, names, x, x, mask));
    return [linear(module.child(names.output), last(joined)), ...weights];
  });
}

/** The output of an attention that returns its weights beside it; the weights stay with the caller. */
export function outputOf(results: AttentionOutputs): Tensor {
  const [output] = holdAll(results);
  return output;
}
