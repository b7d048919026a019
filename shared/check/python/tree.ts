import { parser } from '@lezer/python';
import type { SyntaxNode, Tree } from '@lezer/common';
import { message } from '../../i18n/message';
import { mostLevels, OverLimit } from '../limits';
import { closedBrackets } from './nesting';

export type { SyntaxNode } from '@lezer/common';

/**
 * The tree of a script. Of one that is no Python somewhere, what follows that place is read as far as `recoveryEnd` says.
 * Throws OverLimit where a text nests deeper than CPython takes it.
 */
export function parsePython(source: string): Tree {
  const text = readable(source);
  try {
    return strictParser.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const failedAt = Number(/at (\d{1,9})/.exec(error.message)?.[1] ?? 0);
    return parser.parse(text.slice(0, recoveryEnd(text, failedAt)));
  }
}

const strictParser = parser.configure({ strict: true });

/** Guessing what was meant tries a dozen ways at every character, each of which may run to the end of its line. */
const mostRecovered = 2 ** 15;
const longestRecoveredLine = 2000;

/** Up to where a text is read behind the first place that is no Python: 32,768 characters, or before a very long line. */
function recoveryEnd(text: string, failedAt: number): number {
  const end = Math.min(text.length, failedAt + mostRecovered);
  let lineStart = failedAt;
  while (lineStart < end) {
    const lineEnd = text.indexOf('\n', lineStart);
    if ((lineEnd < 0 ? text.length : lineEnd) - lineStart > longestRecoveredLine)
      return Math.min(end, lineStart + longestRecoveredLine);
    if (lineEnd < 0) break;
    lineStart = lineEnd + 1;
  }
  return end;
}

/**
 * The grammar of @lezer/python 1.1 takes a float that ends in a dot, a bare `yield`, a decorator that goes on behind its
 * call (Python 3.9), a `with` in parentheses (3.10), a tuple behind its `as` and a starred target in a comprehension for
 * errors. They are replaced by something of the same length that it knows, so that every position stays true; texts are
 * read from the source itself.
 */
function readable(source: string): string {
  return withoutParentheses(source, closedBrackets(source))
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
function withoutParentheses(source: string, closed: ReadonlyMap<number, number>): string {
  const parts: string[] = [];
  let done = 0;
  for (const { index, 0: head } of source.matchAll(/^[ \t]*(?:async )?with \(/gm)) {
    const open = index + head.length - 1;
    const close = closed.get(open);
    if (close === undefined || open < done || !endsHead(source, close)) continue;
    const inside = source.slice(open + 1, close);
    if (!/\bas\b/.test(inside)) continue;
    const items = inside
      .replace(/#[^\n]*/g, (comment) => ' '.repeat(comment.length))
      .replace(/\n/g, ' ')
      .replace(/,(?=\s*$)/, ' ');
    parts.push(source.slice(done, open), ` ${items} `);
    done = close + 1;
  }
  return parts.length === 0 ? source : [...parts, source.slice(done)].join('');
}

/** Whether the colon follows that ends the head of a block. */
function endsHead(source: string, close: number): boolean {
  const colon = /[ \t]*:/y;
  colon.lastIndex = close + 1;
  return colon.test(source);
}

/** The children of a node, in order. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

/** Every node of the tree in source order. Throws OverLimit where it has more levels than any script's. */
export function allNodes(tree: Tree): SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  let level = 0;
  tree.iterate({
    enter: ({ node, from }) => {
      level += 1;
      if (level > mostLevels) throw new OverLimit(message('check.overLevels', { limit: mostLevels }), from);
      nodes.push(node);
    },
    leave: () => {
      level -= 1;
    },
  });
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
