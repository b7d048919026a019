import { message } from '../../i18n/message';
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
