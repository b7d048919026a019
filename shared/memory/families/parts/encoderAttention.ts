/** Query, key and value by three products and attention over them: what BERT, its relatives and BART share. */
import type { SoftmaxAttention } from '../../../model/architecture';
import { splitHeads } from '../../operations/layout';
import { linear } from '../../operations/linear';
import type { Module } from '../../tape/module';
import { hold } from '../../tape/tape';
import type { Tensor } from '../../tape/tensor';
import type { Forward } from '../context';
import { attendWithWeights, attentionForm, isWrittenOut } from './attention';

/** Names of the three products. */
export interface ProjectionNames {
  readonly query: string;
  readonly key: string;
  readonly value: string;
  /** The order in which they run; query, key, value where it is not given. */
  readonly order?: readonly ('query' | 'key' | 'value')[];
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
  const form = attentionForm(forward, facts, x.elementBytes, mask !== null);
  const headed = (name: string, from: Tensor): Tensor => {
    const [batch = 1, positions = 1] = from.shape;
    return hold(
      splitHeads(linear(module.child(name), from), [batch, heads, positions, headDim], isWrittenOut(form)),
    );
  };
  const made = new Map<string, Tensor>();
  for (const role of names.order ?? (['query', 'key', 'value'] as const))
    made.set(role, headed(names[role], role === 'query' ? x : source));
  const [query, key, value] = ['query', 'key', 'value'].map((role) => made.get(role));
  if (query === undefined || key === undefined || value === undefined)
    throw new Error('Attention needs a query, a key and a value.');
  return attendWithWeights(form, facts, query, key, value, mask, 'uncast');
}

/** The output of an attention that returns its weights beside it; the weights stay with the caller. */
export function outputOf(results: readonly Tensor[]): Tensor {
  const [output] = results.map(hold);
  if (output === undefined) throw new Error('Attention has an output.');
  return output;
}
