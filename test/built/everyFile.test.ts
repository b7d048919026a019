import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { expect, test } from 'vitest';
import { distFolder, root } from '../../build/tools/paths.mjs';
import { readArtefacts } from './artefacts';

const artefacts = readArtefacts();

test('there are no source maps', () => {
  const names = readdirSync(distFolder, { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => name.endsWith('.map'))).toEqual([]);
  for (const { name, text } of artefacts) expect(text, name).not.toMatch(/\/[/*][#@] sourceMappingURL=/);
});

test('no file names a folder of the machine it was built on', () => {
  // Short homes such as /root are ordinary words in code that lists system folders.
  const places = [root, ...(homedir().length > 8 ? [homedir()] : [])];
  for (const { name, text } of artefacts) {
    for (const place of places) expect(text, name).not.toContain(place);
  }
});
