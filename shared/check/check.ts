import type { Finding, Hit, RuleText, FindingSeverity } from './types';
import { PythonScript } from './python/script';
import { dataRules } from './rules/data';
import { asObject, deepSpeedRules, isDeepSpeed } from './rules/deepspeed';
import { distributedRules } from './rules/distributed';
import { graphRules } from './rules/graph';
import { memoryRules } from './rules/memory';
import { nameRules } from './rules/names';
import { precisionRules } from './rules/precision';
import type { PythonRule } from './rules/pythonRule';
import { shellHits, shellRules } from './rules/shell';
import { brokenAt, jsonRule, limitRule, syntaxRule } from './rules/syntax';
import { yamlDocuments, yamlRules } from './rules/yaml';
import { mostScriptCharacters, OverLimit, refuseLonger } from './limits';
import { readNotebook } from './notebook';
import { ignoredAt, Lines } from './text';

export type FileKind = 'python' | 'notebook' | 'shell' | 'json' | 'yaml';

const kinds: Readonly<Record<string, FileKind>> = {
  py: 'python',
  pyw: 'python',
  ipynb: 'notebook',
  sh: 'shell',
  bash: 'shell',
  slurm: 'shell',
  sbatch: 'shell',
  json: 'json',
  yaml: 'yaml',
  yml: 'yaml',
};

const pythonRules: readonly PythonRule[] = [
  syntaxRule,
  ...nameRules,
  ...dataRules,
  ...graphRules,
  ...distributedRules,
  ...memoryRules,
  ...precisionRules,
];

/** Every rule there is, for `check --rules` and for people who look one up. */
export const allRules: readonly RuleText[] = [
  ...pythonRules,
  jsonRule,
  limitRule,
  ...deepSpeedRules,
  ...shellRules,
  ...yamlRules,
];

/** What a file is by its name, else by its first line; null where it is nothing that can be checked. */
export function fileKind(name: string, text: string): FileKind | null {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const known = kinds[extension];
  if (known !== undefined) return known;
  const first = text.slice(0, 200);
  if (/^#!.*\b(ba|z|da)?sh\b/.test(first)) return 'shell';
  return /^#!.*\bpython/.test(first) || /^[ \t]*(?:import|from)[ \t]+\w/m.test(first) ? 'python' : null;
}

/**
 * Checks one text by parsing it, never by running it. Findings come in the order of their lines. A text that breaks a limit
 * of its reader gives one finding, which names the limit.
 */
export function check(text: string, kind: FileKind): readonly Finding[] {
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  try {
    return checkWithin(source, kind);
  } catch (error) {
    if (!(error instanceof OverLimit)) throw error;
    return findingsOf(source, [[limitRule, [{ at: error.at, message: error.limit }]]], null);
  }
}

function checkWithin(source: string, kind: FileKind): readonly Finding[] {
  switch (kind) {
    case 'python':
      return checkPython(source, null);
    case 'notebook': {
      const broken = brokenJson(source);
      if (broken !== null) return broken;
      const notebook = readNotebook(source);
      return notebook === null ? [] : checkPython(notebook.source, notebook.place);
    }
    case 'shell': {
      refuseLonger(source, mostScriptCharacters);
      return findingsOf(
        source,
        shellRules.map((rule) => [rule, shellHits(rule, source)]),
        null,
      );
    }
    case 'json':
      return checkJson(source);
    case 'yaml': {
      const documents = yamlDocuments(source);
      return findingsOf(
        source,
        yamlRules.map((rule) => [rule, documents.flatMap((document) => [...rule.hits(document, source)])]),
        null,
      );
    }
  }
}

type Place = (line: number) => { readonly cell: number; readonly line: number };

function checkPython(source: string, place: Place | null): readonly Finding[] {
  refuseLonger(source, mostScriptCharacters);
  const script = new PythonScript(source);
  return findingsOf(
    source,
    pythonRules.map((rule) => [rule, rule.hits(script)]),
    place,
  );
}

/** A string of JSON, to the end of the text where it is never closed, or one of the three numbers that Python adds. */
const pythonsNumbers = /"(?:[^"\\]|\\(?:[^]|$))*(?:"|$)|-?\b(?:NaN|Infinity)\b/g;

/** Python reads, and writes, three numbers that are no JSON; they are replaced by one of the same length. */
function asPythonReads(source: string): string {
  return source.replace(pythonsNumbers, (found) =>
    found.startsWith('"') ? found : '0'.padEnd(found.length),
  );
}

/** The finding that a text is no JSON; null where it is. */
function brokenJson(source: string): readonly Finding[] | null {
  try {
    JSON.parse(asPythonReads(source));
    return null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return findingsOf(source, [[jsonRule, [{ at: brokenAt(source, error) }]]], null);
  }
}

function checkJson(source: string): readonly Finding[] {
  if (isJsonLines(source)) return [];
  const broken = brokenJson(source);
  if (broken !== null) return broken;
  const config = asObject(JSON.parse(asPythonReads(source)));
  if (config === null || !isDeepSpeed(config)) return [];
  return findingsOf(
    source,
    deepSpeedRules.map((rule) => [rule, rule.hits(config, source)]),
    null,
  );
}

/** Data with an object a line, under the name of its brother; no settings to check. */
function isJsonLines(source: string): boolean {
  const [first = '', second = ''] = source.split('\n', 2);
  return isJson(first) && isJson(second);
}

function isJson(text: string): boolean {
  try {
    return asObject(JSON.parse(text)) !== null;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

const order: Readonly<Record<FindingSeverity, number>> = { error: 0, warning: 1, info: 2 };

function findingsOf(
  source: string,
  found: readonly (readonly [RuleText, readonly Hit[]])[],
  place: Place | null,
): readonly Finding[] {
  const lines = new Lines(source);
  const ignored = new Map<number, ReadonlySet<string>>();
  const findings = found.flatMap(([rule, hits]) =>
    hits.flatMap((hit): readonly Finding[] => {
      const { line, column } = lines.at(hit.at);
      const quiet = ignored.get(line) ?? ignoredAt(lines, line);
      ignored.set(line, quiet);
      if (quiet.has(rule.rule)) return [];
      const where = place?.(line) ?? { cell: null, line };
      return [
        {
          rule: rule.rule,
          severity: rule.severity,
          line: where.line,
          column,
          message: hit.message ?? rule.message,
          why: rule.why,
          better: hit.better ?? rule.better,
          cell: where.cell,
        },
      ];
    }),
  );
  return findings.toSorted(
    (a, b) =>
      (a.cell ?? 0) - (b.cell ?? 0) ||
      a.line - b.line ||
      order[a.severity] - order[b.severity] ||
      a.column - b.column,
  );
}
