import { chmod, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepCopy, readJsonFile, writeJsonFile } from '../../../../electron/storage/jsonFile';
import { temporaryFolder } from '../sensing/support';

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = path.join(folder, 'settings.json');
});
afterEach(async () => {
  await chmod(folder, 0o700);
});

describe('readJsonFile', () => {
  it('reads a value, with or without a byte-order mark', async () => {
    await writeFile(file, '\uFEFF{"a": 1}');
    expect(await readJsonFile(file)).toEqual({ kind: 'read', value: { a: 1 } });
  });

  it('tells a missing file from a damaged one', async () => {
    expect(await readJsonFile(file)).toEqual({ kind: 'missing' });
    for (const text of ['', '{', 'null null', '\0\0\0']) {
      await writeFile(file, text);
      expect(await readJsonFile(file)).toEqual({ kind: 'damaged' });
    }
  });

  it('does not take a huge file for ours', async () => {
    await writeFile(file, `"${'x'.repeat(1024 * 1024)}"`);
    expect(await readJsonFile(file)).toEqual({ kind: 'damaged' });
  });

  it("gives the system's words where it may not read", async () => {
    await mkdir(file);
    expect(await readJsonFile(file)).toEqual({
      kind: 'unreadable',
      problem: 'EISDIR: illegal operation on a directory, read',
    });
  });
});

describe('a file that is not ours', () => {
  it('is kept aside by another name where copying it would take long', async () => {
    await writeFile(file, '');
    await truncate(file, 65 * 1024 * 1024);
    const copy = await keepCopy(file, 'damaged');
    expect(copy).toBe(path.join(folder, 'settings.damaged.json'));
    expect(await readdir(folder)).toEqual(['settings.damaged.json']);
  });
});

describe('writeJsonFile', () => {
  it('replaces the file as a whole, readable for the owner only, and leaves nothing beside it', async () => {
    await writeFile(file, 'old and longer than the new text');
    await writeJsonFile(file, { b: [1] });
    expect(await readFile(file, 'utf8')).toBe('{\n  "b": [\n    1\n  ]\n}\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['settings.json']);
  });

  it('writes a large file without what only people need', async () => {
    await writeJsonFile(file, { b: [1] }, 'compact');
    expect(await readFile(file, 'utf8')).toBe('{"b":[1]}\n');
  });

  it('makes a missing folder', async () => {
    const deep = path.join(folder, 'a/b/settings.json');
    await writeJsonFile(deep, 1);
    expect(await readFile(deep, 'utf8')).toBe('1\n');
  });

  it('throws and leaves the old file where it cannot be replaced', async () => {
    await mkdir(file); // A folder cannot be replaced by a file.
    await writeFile(path.join(file, 'inside'), 'kept');
    await expect(writeJsonFile(file, 1)).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(await readdir(folder)).toEqual(['settings.json']);
    expect(await readFile(path.join(file, 'inside'), 'utf8')).toBe('kept');
  });
});

describe('keepCopy', () => {
  it('keeps the file under another name', async () => {
    await writeFile(file, 'damaged');
    const copy = await keepCopy(file, 'damaged');
    expect(copy).toBe(path.join(folder, 'settings.damaged.json'));
    expect(await readFile(path.join(folder, 'settings.damaged.json'), 'utf8')).toBe('damaged');
  });

  it('gives null where there is nothing to keep', async () => {
    expect(await keepCopy(file, 'damaged')).toBeNull();
  });
});
