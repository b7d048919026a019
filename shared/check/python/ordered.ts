import type { SyntaxNode } from './tree';

/** Something of a script with its place in it. */
interface Placed {
  readonly node: SyntaxNode;
}

/** How many of these begin before a position. They stand in source order, as the tree is walked. */
export function countBefore(placed: readonly Placed[], position: number): number {
  let low = 0;
  let high = placed.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((placed[middle]?.node.from ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first of these, in source order, that lies inside a node and passes; undefined where none does. */
export function firstInside<One extends Placed>(
  placed: readonly One[],
  outer: SyntaxNode,
  passes: (one: One) => boolean = () => true,
): One | undefined {
  for (let place = countBefore(placed, outer.from); place < placed.length; place += 1) {
    const one = placed[place];
    if (one === undefined || one.node.from >= outer.to) return undefined;
    if (one.node.to <= outer.to && passes(one)) return one;
  }
  return undefined;
}

/** The last of these that ends before a position; undefined where none does. */
export function lastBefore<One extends Placed>(placed: readonly One[], position: number): One | undefined {
  for (let place = countBefore(placed, position) - 1; place >= 0; place -= 1) {
    const one = placed[place];
    // What goes on behind the position is around it, and as deep as the tree at most.
    if (one !== undefined && one.node.to <= position) return one;
  }
  return undefined;
}

/** Lists by a key, each in the order of `items`. */
export function groupBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | null,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
