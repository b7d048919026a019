import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { endingFile, writeEnding } from '../../../../electron/ending/endingFile';

it('lies beside the log of the app', () => {
  const file = (platform: NodeJS.Platform, environment: Readonly<Record<string, string>>) =>
    endingFile(environment, platform)?.replaceAll('\\', '/') ?? null;
  expect(file('linux', { HOME: '/home/ada' })).toBe('/home/ada/.config/Headroom/logs/endings.log');
  expect(file('linux', { HOME: '/home/ada', XDG_CONFIG_HOME: '/x' })).toBe('/x/Headroom/logs/endings.log');
  expect(file('darwin', { HOME: '/Users/ada' })).toBe(
    '/Users/ada/Library/Application Support/Headroom/logs/endings.log',
  );
  expect(file('win32', { APPDATA: 'C:/Data' })).toBe('C:/Data/Headroom/logs/endings.log');
  expect(file('linux', {})).toBeNull();
});

it('grows by lines with their time, without homes and secrets, for the owner alone', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'headroom-ending-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'a/b/endings.log');
  const at = new Date('2026-11-29T15:00:00Z');
  await writeEnding(file, [{ at, text: 'first in /home/ada/x' }], '/home/ada');
  await writeEnding(file, [{ at, text: 'token=hf_abcdefghij' }], '/home/ada');
  expect(readFileSync(file, 'utf8')).toBe(
    '2026-11-29T15:00:00.000Z first in ~/x\n2026-11-29T15:00:00.000Z token=***\n',
  );
  expect(statSync(file).mode & 0o077).toBe(0);
});

it.each<[string, (folder: string) => void]>([
  [
    'a link',
    (folder) => symlinkSync(path.join(folder, 'victim'), path.join(folder, 'Headroom/logs/endings.log')),
  ],
  [
    'a second name of another file',
    (folder) => linkSync(path.join(folder, 'victim'), path.join(folder, 'Headroom/logs/endings.log')),
  ],
  ['a pipe', (folder) => execFileSync('mkfifo', [path.join(folder, 'Headroom/logs/endings.log')])],
  [
    'a folder that is a link',
    (folder) => {
      rmdirSync(path.join(folder, 'Headroom/logs'));
      symlinkSync(path.join(folder, 'elsewhere'), path.join(folder, 'Headroom/logs'));
    },
  ],
])('writes through nothing else: %s', async (_what, prepare) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'headroom-ending-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, 'Headroom/logs'), { recursive: true });
  mkdirSync(path.join(folder, 'elsewhere'));
  writeFileSync(path.join(folder, 'victim'), 'as it was\n');
  prepare(folder);
  const file = path.join(folder, 'Headroom/logs/endings.log');
  await expect(writeEnding(file, [{ at: new Date(0), text: 'line' }], '/home/ada')).rejects.toThrow();
  expect(readFileSync(path.join(folder, 'victim'), 'utf8')).toBe('as it was\n');
  expect(readdirSync(path.join(folder, 'elsewhere'))).toEqual([]);
});
