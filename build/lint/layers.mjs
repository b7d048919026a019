import path from 'node:path';

/**
 * Who may import whom inside `shared/`, as an allow-list: a folder imports itself, the files beside the folders
 * (`units.ts`, `numbers.ts` and their like), and what its row names. `upward` are imports against the order of the rows,
 * left from the first design: none may be added, and each that goes is taken out here. Packages are listed the same way.
 *
 * @type {Readonly<Record<string, LayerRow>>}
 *
 * @typedef {object} LayerRow
 * @property {readonly string[]} folders rows above this one that it stands on
 * @property {readonly string[]} [upward] rows below this one that it still imports
 * @property {readonly string[]} [packages]
 */
export const layers = {
  i18n: { folders: [] },
  text: { folders: ['i18n'] },
  xz: { folders: [] },
  model: { folders: ['i18n'] },
  gpu: { folders: ['i18n', 'text'] },
  jobs: { folders: ['i18n'] },
  memory: { folders: ['i18n', 'gpu', 'model'], upward: ['families'] },
  families: { folders: ['i18n', 'model', 'memory'] },
  snapshot: { folders: ['i18n', 'gpu', 'jobs'] },
  check: { folders: ['i18n'], packages: ['@lezer/common', '@lezer/python', 'yaml'] },
  doctor: { folders: ['i18n', 'gpu', 'jobs', 'snapshot', 'text'] },
  strategy: {
    folders: ['i18n', 'gpu', 'model', 'jobs', 'snapshot', 'memory', 'families', 'doctor'],
    upward: ['launch', 'receipts'],
  },
  launch: { folders: ['i18n', 'memory', 'check'], packages: ['yaml'] },
  memorySnapshot: { folders: ['i18n', 'memory', 'launch', 'xz'] },
  receipts: { folders: ['i18n', 'gpu', 'jobs', 'snapshot', 'memory', 'strategy', 'launch'] },
  measure: { folders: ['i18n', 'launch', 'receipts'], packages: ['zod'] },
  alerts: { folders: ['i18n', 'gpu', 'jobs', 'snapshot', 'doctor'] },
  contract: {
    folders: [
      'i18n',
      'gpu',
      'jobs',
      'snapshot',
      'doctor',
      'memory',
      'strategy',
      'launch',
      'receipts',
      'measure',
      'alerts',
    ],
    packages: ['zod'],
  },
};

/** @type {import('eslint').Rule.RuleModule} */
export const layersRule = {
  meta: {
    type: 'problem',
    docs: {
      description:
        'Keep the layers inside shared/: an import that no row of the allow-list names is refused.',
    },
    schema: [{ type: 'object' }],
    messages: {
      folder:
        '{{from}} may not import {{to}}: build/lint/layers.mjs lists what each folder of shared/ stands on.',
      package:
        '{{from}} may not import the package {{to}}: build/lint/layers.mjs lists the packages of each folder.',
      unknown: 'shared/{{from}} is in no layer: give it a row in build/lint/layers.mjs.',
    },
  },
  create(context) {
    const allowed = /** @type {typeof layers} */ (context.options[0] ?? layers);
    const file = path.relative(context.cwd, context.filename).split(path.sep).join('/');
    const from = folderOf(file);
    if (from === null) return {};
    const row = allowed[from];

    /** @param {import('eslint').Rule.Node & { source?: { value?: unknown } | null | undefined }} node */
    const check = (node) => {
      const target = node.source?.value;
      if (typeof target !== 'string') return;
      if (row === undefined) return context.report({ node, messageId: 'unknown', data: { from } });
      if (!target.startsWith('.')) {
        if (!(row.packages ?? []).includes(target))
          context.report({ node, messageId: 'package', data: { from: `shared/${from}`, to: target } });
        return;
      }
      const to = folderOf(path.posix.join(path.posix.dirname(file), target));
      if (to !== null && to !== from && !row.folders.includes(to) && !(row.upward ?? []).includes(to))
        context.report({ node, messageId: 'folder', data: { from: `shared/${from}`, to: `shared/${to}` } });
    };
    return { ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check };
  },
};

/**
 * The folder of `shared/` that a file lies in; null for files elsewhere and for those directly in `shared/`.
 *
 * @param {string} file a path from the repository's root, with or without its ending
 */
function folderOf(file) {
  const [top, folder, ...rest] = file.split('/');
  return top === 'shared' && folder !== undefined && rest.length > 0 ? folder : null;
}
