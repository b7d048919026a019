import fs from 'node:fs';
import path from 'node:path';

const declaration = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) ([A-Z]\w*)/gm;

/** @type {import('eslint').Rule.RuleModule} */
export const uniqueTypesRule = {
  meta: {
    type: 'problem',
    docs: { description: 'One exported type of a name: one concept has one type in one place.' },
    schema: [],
    messages: { twice: '{{name}} is exported by {{other}}, too: one name is one type.' },
  },
  create(context) {
    const file = path.relative(context.cwd, context.filename).split(path.sep).join('/');
    const homes = typeHomes(context.cwd);

    /** @param {{ id: { name: string } | null }} node */
    const check = (node) => {
      const name = node.id?.name;
      const other = name === undefined ? undefined : homes.get(name)?.find((home) => home !== file);
      if (other !== undefined)
        context.report({
          node: /** @type {import('eslint').Rule.Node} */ (/** @type {unknown} */ (node)),
          messageId: 'twice',
          data: { name: String(name), other },
        });
    };
    return {
      'ExportNamedDeclaration > TSInterfaceDeclaration': check,
      'ExportNamedDeclaration > TSTypeAliasDeclaration': check,
      'ExportNamedDeclaration > ClassDeclaration': check,
      'ExportNamedDeclaration > TSEnumDeclaration': check,
    };
  },
};

/** @type {Map<string, ReadonlyMap<string, readonly string[]>>} */
const homesByRoot = new Map();

/**
 * The files of the product that export a type, by the type's name.
 *
 * @param {string} root
 */
function typeHomes(root) {
  const known = homesByRoot.get(root);
  if (known !== undefined) return known;
  /** @type {Map<string, string[]>} */
  const homes = new Map();
  for (const top of ['shared', 'electron', 'renderer'])
    for (const entry of fs.readdirSync(path.join(root, top), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
      const full = path.join(entry.parentPath, entry.name);
      const file = path.relative(root, full).split(path.sep).join('/');
      for (const [, name = ''] of fs.readFileSync(full, 'utf8').matchAll(declaration))
        homes.set(name, [...(homes.get(name) ?? []), file]);
    }
  homesByRoot.set(root, homes);
  return homes;
}
