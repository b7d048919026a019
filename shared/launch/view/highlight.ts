/** Launch files as coloured lines. Only to be read: nothing is run, and what no rule knows stays plain. */
import { parsePython } from '../../check/python/tree';
import type { LaunchFile } from '../plan';

type CodeStyle = 'plain' | 'comment' | 'string' | 'number' | 'keyword' | 'name';

interface CodePiece {
  readonly text: string;
  readonly style: CodeStyle;
}

/** The pieces of one line; none for an empty line. */
export type CodeLine = readonly CodePiece[];

interface Span {
  readonly from: number;
  readonly to: number;
  readonly style: CodeStyle;
}

/** The kind of a file follows from its name's end. The joined pieces of all lines are the text, line ends aside. */
export function highlightedLines({ name, text }: LaunchFile): readonly CodeLine[] {
  if (name.endsWith('.py')) return linesOf(text, pythonSpans(text));
  const rules = rulesOf(name);
  return text
    .split('\n')
    .map((line) => linesOf(line, rules === null ? [] : scannedSpans(line, rules))[0] ?? []);
}

const pythonStyles: Readonly<Record<string, CodeStyle>> = {
  Comment: 'comment',
  String: 'string',
  FormatString: 'string',
  Number: 'number',
  Boolean: 'keyword',
  None: 'keyword',
};

/** The grammar calls a keyword by itself: the node of `def` is named `def`. */
const keyword = /^[a-z]+$/;

function pythonSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  const cursor = parsePython(text).cursor();
  let isDefinition = false;
  do {
    const { from, name, to } = cursor;
    const isName = isDefinition && name === 'VariableName';
    const style = isName
      ? 'name'
      : (pythonStyles[name] ?? (keyword.test(name) ? ('keyword' as const) : null));
    isDefinition = name === 'def' || name === 'class';
    const last = spans[spans.length - 1];
    // What stands within a string belongs to it.
    if (style !== null && to > from && from >= (last?.to ?? 0)) spans.push({ from, to, style });
  } while (cursor.next());
  return spans;
}

type Rule = readonly [RegExp, CodeStyle];

const number: Rule = [/-?\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b/y, 'number'];
const quoted: Rule = [/"(?:[^"\\]|\\.)*"|'[^']*'/y, 'string'];
const hashComment: Rule = [/#.*/y, 'comment'];

const jsonRules: readonly Rule[] = [
  [/"(?:[^"\\]|\\.)*"(?=\s*:)/y, 'name'],
  quoted,
  number,
  [/\b(?:true|false|null)\b/y, 'keyword'],
];
const yamlRules: readonly Rule[] = [
  hashComment,
  [/[\w./-]+(?=:(?:\s|$))/y, 'name'],
  quoted,
  [/\b(?:true|false|null|yes|no)\b/y, 'keyword'],
  number,
];
const shellRules: readonly Rule[] = [
  hashComment,
  quoted,
  [/\$\{?\w+\}?/y, 'name'],
  [/(?<![\w.-])(?:set|cd|exec|export|if|then|else|fi|for|do|done)(?![\w.-])/y, 'keyword'],
];
const markdownRules: readonly Rule[] = [
  [/^#+ .*/y, 'name'],
  [/`[^`]+`|^```.*/y, 'string'],
];
const requirementRules: readonly Rule[] = [hashComment, [/[=<>~]=?\s*[\w.]+/y, 'number']];

function rulesOf(name: string): readonly Rule[] | null {
  if (name.endsWith('.json')) return jsonRules;
  if (/\.ya?ml$/.test(name)) return yamlRules;
  if (/\.(?:sh|slurm)$/.test(name)) return shellRules;
  if (name.endsWith('.md')) return markdownRules;
  return name === 'requirements.txt' ? requirementRules : null;
}

/** The first rule that matches at a place wins; words are taken whole, so that no rule starts in the middle of one. */
function scannedSpans(line: string, rules: readonly Rule[]): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  while (at < line.length) {
    const found = matchAt(line, at, rules);
    if (found !== null) spans.push(found);
    at = found?.to ?? at + (/^\w+/.exec(line.slice(at))?.[0].length ?? 1);
  }
  return spans;
}

function matchAt(line: string, at: number, rules: readonly Rule[]): Span | null {
  for (const [pattern, style] of rules) {
    pattern.lastIndex = at;
    const length = pattern.exec(line)?.[0].length ?? 0;
    if (length > 0) return { from: at, to: at + length, style };
  }
  return null;
}

/** Cuts a text at its line ends and at its spans, which are in order and do not overlap. */
function linesOf(text: string, spans: readonly Span[]): readonly CodeLine[] {
  const lines: CodePiece[][] = [[]];
  const add = (from: number, to: number, style: CodeStyle): void => {
    for (const [index, part] of text.slice(from, to).split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (part !== '') lines[lines.length - 1]?.push({ text: part, style });
    }
  };
  let at = 0;
  for (const { from, style, to } of spans) {
    add(at, from, 'plain');
    add(from, to, style);
    at = to;
  }
  add(at, text.length, 'plain');
  return lines;
}
