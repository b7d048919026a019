import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fileExists, pathsIn } from '../../../build/lint/commentPaths.mjs';

const documents = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8', timeout: 10_000 })
  .split('\n')
  .filter((file) => file !== '' && !file.startsWith('test/fixtures/'));

test('a page of this repository exists where it should', () => {
  expect(documents).toContain('ARCHITECTURE.md');
});

test.each(documents)('%s names only files that exist', (file) => {
  const missing = pathsIn(fs.readFileSync(file, 'utf8')).filter(
    (name) => !fileExists(process.cwd(), path.dirname(path.resolve(file)), name),
  );
  expect(missing).toEqual([]);
});
