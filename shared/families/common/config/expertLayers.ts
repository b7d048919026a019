import type { FeedForward, MixtureOfExperts } from '../../../model/architecture';
import { type ExpertNames, gatedMlp, mixtralExperts } from '../../../model/feedForward';
import type { ConfigFields } from '../../../model/configFields';
import type { ModuleNode } from '../../../model/modules';

export const expertsFirst: ExpertNames = {
  ...mixtralExperts,
  order: ['experts', 'router', 'shared', 'sharedGate'],
};

/** Experts where `sparse`, else a plain MLP of `intermediate_size`. */
export function mixed(
  fields: ConfigFields,
  moe: MixtureOfExperts,
  sparse: (index: number) => boolean,
): (index: number) => FeedForward {
  return (index) => (sparse(index) ? moe : gatedMlp(fields));
}

/** Shared experts of DeepSeek's kind: one MLP as wide as `n_shared_experts` experts. */
export function sharedMlp(fields: ConfigFields, count: number, bias = false): MixtureOfExperts['shared'] {
  if (count === 0) return null;
  return {
    mlp: gatedMlp(fields, { width: count * fields.size('moe_intermediate_size'), bias }),
    gate: false,
  };
}

/** The mixture with other modules in the place of its router. */
export function withRouter(node: ModuleNode, router: readonly ModuleNode[]): ModuleNode {
  return { ...node, children: [...router, ...node.children.filter(({ name }) => name !== 'gate')] };
}
