import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
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
