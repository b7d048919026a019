/** Texts around the script check: the command and the view. */
export const checkCommand = {
  summary: 'Check a training script, notebook, shell script or configuration by parsing it.',
  rulesFlag: 'list the rules',
  notChecked: '{file}: not a file that can be checked; expected .py, .ipynb, .sh, .json or .yaml',
  none: '{file}: nothing found',
  error: 'error',
  warning: 'warning',
  info: 'note',
} as const;
