import { message } from '../../i18n/message';
import { mostScriptCharacters } from '../limits';
import type { RuleText } from '../types';
import type { PythonRule } from './pythonRule';

/** The first place that is no Python. A cell or file that ends early leaves its error at the very end. */
export const syntaxRule: PythonRule = {
  rule: 'not-valid-python',
  severity: 'warning',
  message: message('check.notPython'),
  why: message('check.notPythonWhy'),
  better: 'python -m py_compile train.py',
  hits: (script) => {
    const first = script.nodes.find(({ type }) => type.isError);
    return first === undefined
      ? []
      : [{ at: Math.min(first.from, Math.max(0, script.source.trimEnd().length - 1)) }];
  },
};

/** A notebook or a configuration of which nothing can be read: said, since silence would look like praise. */
export const jsonRule: RuleText = {
  rule: 'not-valid-json',
  severity: 'warning',
  message: message('check.notJson'),
  why: message('check.notJsonWhy'),
  better: 'python -m json.tool FILE',
};

/** A text that no reader should be given: said with the limit that it breaks, and nothing in it is checked. */
export const limitRule: RuleText = {
  rule: 'over-limit',
  severity: 'warning',
  message: message('check.overLength', { limit: mostScriptCharacters }),
  why: message('check.overLimitWhy'),
  better: 'headroom check train.py   # the script itself, not what a program generated',
};

/** Where parsing stopped, as far as the parser's message tells it; else the end, where cut files break. */
export function brokenAt(source: string, error: SyntaxError): number {
  const told = /at position (\d+)/.exec(error.message)?.[1];
  const end = Math.max(0, source.trimEnd().length - 1);
  return told === undefined ? end : Math.min(Number(told), end);
}
