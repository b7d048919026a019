import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runOnce } from '../../../../electron/programs/runOnce';
import { findNvidiaSmi } from '../../../../electron/sensing/findNvidiaSmi';
import { searchPath } from '../../../../electron/programs/programCall';
import { temporaryFolder } from '../sensing/support';

/** A current folder with programs of these names, and a PATH that looks there first. */
function inFolderWith(...names: readonly string[]): string {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, 'bin'));
  for (const name of names)
    for (const place of [name, `bin/${name}`]) {
      writeFileSync(path.join(folder, place), '#!/bin/sh\necho planted\n');
      chmodSync(path.join(folder, place), 0o755);
    }
  const before = { folder: process.cwd(), path: process.env['PATH'] };
  onTestFinished(() => {
    process.chdir(before.folder);
    process.env['PATH'] = before.path;
  });
  process.chdir(folder);
  process.env['PATH'] = `.::bin:./bin:${before.path ?? ''}`;
  return folder;
}

it('runs no program of the current folder, whatever PATH says', async () => {
  inFolderWith('nvidia-smi', 'printf', 'getent');
  expect(searchPath().every((folder) => path.isAbsolute(folder))).toBe(true);
  const found = findNvidiaSmi(null);
  expect(found === null || path.isAbsolute(found)).toBe(true);
  const call = { command: 'printf', leadingArguments: [], environment: {} };
  const limits = { timeoutMs: 5000, maxBytes: 1000 };
  expect(await runOnce(call, ['%s', 'ours'], limits)).toMatchObject({ text: 'ours' });
});
