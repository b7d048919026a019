import { childrenOf, type SyntaxNode } from './tree';

/** Local name → what it stands for: `N` → `torch.nn`, `DDP` → `torch.nn.parallel.DistributedDataParallel`. */
export type ImportNames = ReadonlyMap<string, string>;

/** The imports of a script. `import a.b` binds `a`; a star import binds names that cannot be known. */
export function readImports(
  nodes: readonly SyntaxNode[],
  source: string,
): { readonly names: ImportNames; readonly hasStar: boolean } {
  const names = new Map<string, string>();
  let hasStar = false;
  for (const node of nodes) {
    if (node.name !== 'ImportStatement') continue;
    const children = childrenOf(node);
    const isFrom = children[0]?.name === 'from';
    const split = children.findIndex(({ name }) => name === 'import');
    const module = isFrom ? dotted(children.slice(1, split), source) : '';
    for (const item of items(children.slice(split + 1))) {
      if (item.some(({ name }) => name === '*')) hasStar = true;
      const alias = item.findIndex(({ name }) => name === 'as');
      const path = dotted(alias < 0 ? item : item.slice(0, alias), source);
      const asNode = alias < 0 ? undefined : item[alias + 1];
      if (path === '') continue;
      const full = isFrom ? `${module}.${path}` : path;
      if (asNode !== undefined) names.set(source.slice(asNode.from, asNode.to), full);
      else if (isFrom) names.set(path, full);
      else names.set(path.split('.')[0] ?? path, path.split('.')[0] ?? path);
    }
  }
  return { names, hasStar };
}

function items(nodes: readonly SyntaxNode[]): SyntaxNode[][] {
  const found: SyntaxNode[][] = [[]];
  for (const node of nodes) {
    if (node.name === ',') found.push([]);
    else if (node.name !== '(' && node.name !== ')' && node.name !== 'Comment')
      found[found.length - 1]?.push(node);
  }
  return found;
}

function dotted(nodes: readonly SyntaxNode[], source: string): string {
  return nodes
    .filter(({ name }) => name === 'VariableName')
    .map(({ from, to }) => source.slice(from, to))
    .join('.');
}
