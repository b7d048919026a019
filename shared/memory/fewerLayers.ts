/** A model cut down to a few of its layers, from whose steps those of the whole follow. */
import type { Architecture, Stack } from '../model/architecture';
import type { ModuleNode } from '../model/modules';

/** Longest pattern of layers that is looked for (five sliding windows and a full one), and how many may stand before it. */
const longestPeriod = 8;
const longestPrefix = 4;

/** How a stack's layers repeat: `prefix` layers, then `repeats` times the same `period` of layers. */
export interface Repetition {
  readonly prefix: number;
  readonly period: number;
  readonly repeats: number;
}

/**
 * The repetition that all of a model's layers follow; layers of one kind are one object, so they are compared by identity. Null
 * where there is more than one stack or no pattern.
 */
export function repetitionOf({ stacks }: Architecture): Repetition | null {
  const [stack] = stacks;
  if (stack === undefined || stacks.length !== 1) return null;
  for (let period = 1; period <= longestPeriod; period++) {
    const prefix = prefixOf(stack, period);
    const repeats = Math.floor((stack.layers.length - prefix) / period);
    if (prefix < longestPrefix + period && repeats >= 1) return { prefix, period, repeats };
  }
  return null;
}

/** Layers before the first from which each equals the one a period later, and so many that whole periods remain. */
function prefixOf({ layers }: Stack, period: number): number {
  let start = layers.length;
  while (start > 0 && (start + period > layers.length || layers[start - 1] === layers[start - 1 + period]))
    start--;
  return start + ((layers.length - start) % period);
}

/** The same model with `repeats` periods of its layers. */
export function withRepeats(
  architecture: Architecture,
  { prefix, period }: Repetition,
  repeats: number,
): Architecture {
  const count = prefix + period * repeats;
  return {
    ...architecture,
    stacks: architecture.stacks.map((stack) => ({ ...stack, layers: stack.layers.slice(0, count) })),
    modules: cut(architecture.modules, count),
  };
}

function cut(node: ModuleNode, count: number): ModuleNode {
  if (node.children.length === 0) return node;
  const isList = node.children.every(({ isBlock }) => isBlock);
  return isList
    ? { ...node, children: node.children.slice(0, count) }
    : { ...node, children: node.children.map((child) => (child.isBlock ? child : cut(child, count))) };
}
