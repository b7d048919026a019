import fs from 'node:fs';
import path from 'node:path';

/** A path from the root (`shared/units.ts`, `test/fixtures/smi`), or the name of a source file (`tape.ts`). */
const mentions =
  /(?<![\w@./:-])(?:(?:shared|electron|renderer|build|test)\/[\w.-]+(?:\/[\w.-]+)*|(?:[\w-]+\/)*[\w-]+(?:\.svelte)?\.(?:ts|mjs|svelte))(?![\w/<#-])/g;

/** `families/NAME.ts` stands for many files; what a build writes is not always there. */
const placeholder = /(?:^|\/)NAME\b|^dist\//;

/** @type {import('eslint').Rule.RuleModule} */
export const commentPathsRule = {
  meta: {
    type: 'problem',
    docs: { description: 'A file that a comment names exists.' },
    schema: [],
    messages: { missing: 'This comment names {{name}}, which does not exist.' },
  },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments())
          for (const name of pathsIn(comment.value))
            if (!fileExists(context.cwd, path.dirname(context.filename), name))
              context.report({
                loc: comment.loc ?? { line: 1, column: 0 },
                messageId: 'missing',
                data: { name },
              });
      },
    };
  },
};

/**
 * What looks like a path of this repository in a comment; links are left out.
 *
 * @param {string} text
 */
export function pathsIn(text) {
  const names = text.replace(/\bhttps?:\/\/\S+/g, ' ').match(mentions) ?? [];
  return names.map((name) => name.replace(/\.{1,3}$/, '')).filter((name) => !placeholder.test(name));
}

/** @type {Map<string, ReadonlySet<string>>} */
const endingsByRoot = new Map();

/**
 * Whether the path exists from the root or from the comment's folder, or is how some file's path ends.
 *
 * @param {string} root
 * @param {string} folder of the file with the comment
 * @param {string} name
 */
export function fileExists(root, folder, name) {
  if (fs.existsSync(path.join(root, name)) || fs.existsSync(path.join(folder, name))) return true;
  let endings = endingsByRoot.get(root);
  if (endings === undefined) endingsByRoot.set(root, (endings = endingsOf(root)));
  return endings.has(name);
}

/** @param {string} root */
function endingsOf(root) {
  /** @type {Set<string>} */
  const endings = new Set();
  for (const top of ['shared', 'electron', 'renderer', 'build', 'test', '.']) {
    const entries = fs.readdirSync(path.join(root, top), { recursive: top !== '.', withFileTypes: true });
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const parts = path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep);
      for (let from = parts.length - 1; from >= 0; from--) endings.add(parts.slice(from).join('/'));
    }
  }
  return endings;
}
