import { execFileSync } from 'node:child_process';
import { link, lstat, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openToAppend, writeNew } from '../../../../electron/storage/safeWrite';
import { writeJsonFile } from '../../../../electron/storage/jsonFile';
import { SnapshotRecorder } from '../../../../electron/sensing/recording';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headroom-safe-'));
  await writeFile(join(folder, 'victim'), 'precious');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const inFolder = (name: string): string => join(folder, name);
const victim = (): Promise<string> => readFile(inFolder('victim'), 'utf8');

describe('files are written where their name says, and nowhere else', () => {
  it('replaces a link itself, not what it leads to', async () => {
    await symlink(inFolder('victim'), inFolder('plan.sh'));
    await writeNew(inFolder('plan.sh'), 'new', { mode: 0o755, replace: true });
    expect(await victim()).toBe('precious');
    expect((await lstat(inFolder('plan.sh'))).isFile()).toBe(true);
    expect(await readFile(inFolder('plan.sh'), 'utf8')).toBe('new');
  });

  it('refuses a link, also one that leads nowhere, where nothing may be replaced', async () => {
    await symlink(inFolder('nowhere'), inFolder('plan.sh'));
    await expect(writeNew(inFolder('plan.sh'), 'new', { mode: 0o644, replace: false })).rejects.toMatchObject(
      {
        code: 'EEXIST',
      },
    );
    await expect(lstat(inFolder('nowhere'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('does not wait for the reader of a named pipe', async () => {
    execFileSync('mkfifo', [inFolder('plan.sh')]);
    await writeNew(inFolder('plan.sh'), 'new', { mode: 0o644, replace: true });
    expect(await readFile(inFolder('plan.sh'), 'utf8')).toBe('new');
  });

  it('removes no folder', async () => {
    await expect(writeNew(folder, 'new', { mode: 0o644, replace: true })).rejects.toThrow();
    expect(await victim()).toBe('precious');
  });

  it('appends to a plain file, and to no link, pipe or second name of a file', async () => {
    const handle = await openToAppend(inFolder('log'), 0o600);
    await handle.appendFile('one\n');
    await handle.close();
    expect(await readFile(inFolder('log'), 'utf8')).toBe('one\n');
    await symlink(inFolder('victim'), inFolder('linked.log'));
    await expect(openToAppend(inFolder('linked.log'), 0o600)).rejects.toMatchObject({ code: 'ELOOP' });
    await link(inFolder('victim'), inFolder('hard.log'));
    await expect(openToAppend(inFolder('hard.log'), 0o600)).rejects.toMatchObject({ code: 'EINVAL' });
    execFileSync('mkfifo', [inFolder('pipe.log')]);
    // Nobody reads it: opening fails at once instead of waiting.
    await expect(openToAppend(inFolder('pipe.log'), 0o600)).rejects.toMatchObject({ code: 'ENXIO' });
    expect(await victim()).toBe('precious');
  });

  it('keeps settings off a link that waits under the temporary name', async () => {
    const file = inFolder('settings.json');
    await symlink(inFolder('victim'), `${file}.${process.pid}.tmp`);
    await writeJsonFile(file, { version: 1 });
    expect(await victim()).toBe('precious');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ version: 1 });
  });

  it('records into a new file, into none that a link names, and not for ever into a pipe', async () => {
    await symlink(inFolder('victim'), inFolder('day.jsonl'));
    await expect(SnapshotRecorder.open(inFolder('day.jsonl'), false)).rejects.toMatchObject({
      code: 'EEXIST',
    });
    await (await SnapshotRecorder.open(inFolder('day.jsonl'), true)).close();
    execFileSync('mkfifo', [inFolder('pipe')]);
    await expect(SnapshotRecorder.open(inFolder('pipe'), false)).rejects.toMatchObject({ code: 'EEXIST' });
    await (await SnapshotRecorder.open('/dev/null', false)).close();
    expect(await victim()).toBe('precious');
  });
});
