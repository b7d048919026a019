import path from 'node:path';

/**
 * Who may import whom inside `shared/`, as an allow-list: a folder imports itself, the files beside the folders
 * (`units.ts`, `numbers.ts` and their like), and what its row names. Packages are listed the same way. ARCHITECTURE.md
 * shows the same layers as a picture.
 *
 * @type {Readonly<Record<string, { readonly folders: readonly string[], readonly packages?: readonly string[] }>>}
 */
export const layers = {};

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
      if (to !== null && to !== from && !row.folders.includes(to))
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
