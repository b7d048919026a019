import { parser } from '@lezer/python';
import type { SyntaxNode, Tree } from '@lezer/common';

export type { SyntaxNode } from '@lezer/common';

export function parsePython(source: string): Tree {
  return parser.parse(readable(source));
}

/**
 * The grammar of @lezer/python 1.1 takes a float that ends in a dot, a bare `yield`, a decorator that goes on behind its
 * call (Python 3.9), a `with` in parentheses (3.10), a tuple behind its `as` and a starred target in a comprehension for
 * errors. They are replaced by something of the same length that it knows, so that every position stays true; texts are
 * read from the source itself.
 */
function readable(source: string): string {
  return withoutParentheses(source)
    .replace(/(?<![\w.])(\d+)\.(?=[^\w.]|$)/g, '$1 ')
    .replace(/\byield(?=[ \t]*(?:[)\n#]|$))/g, 'None ')
    .replace(
      /^([ \t]*@[\w.]{1,200}\([^()\n]{0,400}\))([^\s#][^\n]*)$/gm,
      (_all, call: string, rest: string) => `${call}${' '.repeat(rest.length)}`,
    )
    .replace(/(\bas[ \t]+)\(([\w \t,]{1,200})\)(?=[ \t]*[:,])/g, '$1 $2 ')
    .replace(/(\bfor[ \t]+[\w, ()]{0,80})\*(?=\w)/g, '$1 ');
}

/** `with (open(a) as f, open(b) as g):` without the parentheses, on one line. */
function withoutParentheses(source: string): string {
  let read = source;
  for (const { index, 0: head } of source.matchAll(/^[ \t]*(?:async )?with \(/gm)) {
    const open = index + head.length - 1;
    const close = closingAt(source, open);
    if (
      close === null ||
      !/^[ \t]*:/.test(source.slice(close + 1)) ||
      !/\bas\b/.test(source.slice(open, close))
    )
      continue;
    const items = source
      .slice(open + 1, close)
      .replace(/#[^\n]*/g, (comment) => ' '.repeat(comment.length))
      .replace(/\n/g, ' ')
      .replace(/,(?=\s*$)/, ' ');
    read = `${read.slice(0, open)} ${items} ${read.slice(close + 1)}`;
  }
  return read;
}

/** Where a parenthesis is closed, strings and comments passed over; null where it is not. */
function closingAt(source: string, open: number): number | null {
  const token = /"""[^]*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|#[^\n]*|[()]/g;
  token.lastIndex = open;
  let depth = 0;
  for (let found = token.exec(source); found !== null; found = token.exec(source)) {
    if (found[0] === '(') depth += 1;
    else if (found[0] === ')') depth -= 1;
    if (depth === 0) return found.index;
  }
  return null;
}

/** The children of a node, in order. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

/** Every node of the tree in source order, without recursion: broken input can nest deeply. */
export function allNodes(tree: Tree): SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  const cursor = tree.cursor();
  do nodes.push(cursor.node);
  while (cursor.next());
  return nodes;
}

/** The nearest node above that has one of these names; null where there is none before a node of `border`. */
export function above(
  node: SyntaxNode,
  names: ReadonlySet<string>,
  border: ReadonlySet<string> = noBorder,
): SyntaxNode | null {
  for (let up = node.parent; up !== null; up = up.parent) {
    if (names.has(up.name)) return up;
    if (border.has(up.name)) return null;
  }
  return null;
}

const noBorder: ReadonlySet<string> = new Set();

/** A node and everything below it, in source order. */
export function descendants(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const waiting: SyntaxNode[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    found.push(next);
    waiting.push(...childrenOf(next).reverse());
  }
  return found;
}

export function isInside(node: SyntaxNode, outer: SyntaxNode): boolean {
  return node.from >= outer.from && node.to <= outer.to;
}

/** The parts of a call's or definition's list between commas: a positional value, or a keyword with its value. */
export interface Argument {
  readonly keyword: string | null;
  readonly value: SyntaxNode;
  /** `*args` or `**kwargs`: what it holds is not known. */
  readonly spread: boolean;
}

export function argumentsOf(list: SyntaxNode, source: string): readonly Argument[] {
  const found: Argument[] = [];
  let part: SyntaxNode[] = [];
  const finish = (): void => {
    const spread = part[0]?.name === '*' || part[0]?.name === '**';
    const assigned = part.findIndex(({ name }) => name === 'AssignOp');
    const value = part[part.length - 1];
    if (value !== undefined) {
      const key = assigned > 0 ? part[assigned - 1] : undefined;
      found.push({ keyword: key === undefined ? null : source.slice(key.from, key.to), value, spread });
    }
    part = [];
  };
  for (const child of childrenOf(list)) {
    if (child.name === ',') finish();
    else if (child.name !== '(' && child.name !== ')' && child.name !== 'Comment') part.push(child);
  }
  finish();
  return found;
}
