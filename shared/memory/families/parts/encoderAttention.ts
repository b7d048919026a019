/** Query, key and value by three products and attention over them: what BERT, its relatives and BART share. */
import type { SoftmaxAttention } from '../../../model/architecture';
import { splitHeads } from '../../operations/layout';
import { linear } from '../../operations/linear';
import type { Module } from '../../tape/module';
import { hold, last } from '../../tape/tape';
import type { Tensor } from '../../tape/tensor';
import type { Forward } from '../context';
import { attendWithWeights, attentionForm, type EagerSoftmax, isWrittenOut } from './attention';

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

export const bertProjections: ProjectionNames = { query: 'query', key: 'key', value: 'value' };

/**
 * The attention of `x` [batch, queries, width] over `source` [batch, keys, width], without the last product: the output
 * [batch, queries, heads · d] and, in eager attention, the weights, which this code names and so keeps.
 */
export function projectAndAttend(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  names: ProjectionNames,
  x: Tensor,
  source: Tensor = x,
  mask: Tensor | null = null,
): readonly Tensor[] {
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
  const made = new Map<string, Tensor>();
  const order = names.order ?? (['query', 'key', 'value'] as const);
  if (names.splitsLater === true) {
    const flat = order.map((role) => [role, hold(project(role))] as const);
    for (const [role, output] of flat) made.set(role, headed(role, last(output)));
  } else for (const role of order) made.set(role, headed(role, project(role)));
  const [query, key, value] = ['query', 'key', 'value'].map((role) => made.get(role));
  if (query === undefined || key === undefined || value === undefined)
    throw new Error('Attention needs a query, a key and a value.');
  return attendWithWeights(form, facts, query, key, value, mask, names.eagerSoftmax ?? 'uncast');
}

/** The output of an attention that returns its weights beside it; the weights stay with the caller. */
export function outputOf(results: readonly Tensor[]): Tensor {
  const [output] = results.map(hold);
  if (output === undefined) throw new Error('Attention has an output.');
  return output;
}
