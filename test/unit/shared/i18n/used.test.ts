import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { catalogue } from '../../../../shared/i18n/en';

const root = path.resolve(import.meta.dirname, '../../../..');

/** The text of every source that may show a text to a person. */
function sources(): string {
  return ['shared', 'electron', 'renderer', 'build']
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(?:ts|svelte|mjs)$/.test(entry.name))
        .map(({ parentPath, name }) => path.join(parentPath, name)),
    )
    .filter((file) => !file.startsWith(path.join(root, 'shared/i18n')) || file.endsWith('translate.ts'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}

test('every text of the catalogue is shown somewhere', () => {
  const text = sources();
  const written = new Set([...text.matchAll(/['"`](\w+\.\w+)['"`]/g)].map(([, key = '']) => key));
  // `area.start${…}end`: the part in between is chosen from a type, which the compiler holds against the catalogue.
  const composed = [...text.matchAll(/`(\w+\.\w*)\$\{[^{}]*\}(\w*)`/g)].map(
    ([, start = '', end = '']) => new RegExp(`^${start.replace('.', '\\.')}\\w+${end}$`),
  );
  const unused = Object.entries(catalogue)
    .flatMap(([area, entries]) => Object.keys(entries).map((key) => `${area}.${key}`))
    .filter((key) => !written.has(key) && !composed.some((form) => form.test(key)));
  expect(unused).toEqual([]);
});
