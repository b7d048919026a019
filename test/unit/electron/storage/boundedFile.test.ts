import { spawnSync } from 'node:child_process';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readTail, readWhole } from '../../../../electron/storage/boundedFile';
import { temporaryFolder } from '../sensing/support';

let file: string;
beforeEach(() => {
  file = path.join(temporaryFolder(), 'file');
});

/** Larger than Node reads at once, and than most machines can hold; no byte of it is on the disk. */
const hugeBytes = 2 ** 36;

describe('the whole of a file', () => {
  it('is read up to the very limit', async () => {
    await writeFile(file, 'abcd');
    expect(await readWhole(file, 4)).toEqual(Buffer.from('abcd'));
    expect(await readWhole(file, 3)).toBeNull();
    await writeFile(file, 'x'.repeat(200_000));
    expect((await readWhole(file, 200_000))?.length).toBe(200_000);
  });

  it('is not read where it is too large', async () => {
    await writeFile(file, '{}');
    await truncate(file, hugeBytes);
    expect(await readWhole(file, 1000)).toBeNull();
  });

  it('is not read for ever where a device stands in its place', async () => {
    await symlink('/dev/zero', file);
    expect(await readWhole(file, 100_000)).toBeNull();
  });

  it('is not waited for where a pipe stands in its place', async () => {
    expect(spawnSync('mkfifo', [file]).status).toBe(0);
    expect(await readWhole(file, 1000)).toBeNull();
    expect(await readTail(file, 1000)).toBeNull();
  });

  it('gives the words of the system where there is none', async () => {
    await expect(readWhole(file, 1)).rejects.toMatchObject({ code: 'ENOENT' });
    await mkdir(file);
    await expect(readWhole(file, 1_000_000)).rejects.toMatchObject({ code: 'EISDIR' });
  });
});

describe('the end of a file', () => {
  it('is all of a short one, and the last part of a long one', async () => {
    await writeFile(file, 'first\nlast\n');
    expect((await readTail(file, 100))?.toString()).toBe('first\nlast\n');
    expect((await readTail(file, 5))?.toString()).toBe('last\n');
    await truncate(file, hugeBytes);
    expect((await readTail(file, 5))?.toString()).toBe('\0\0\0\0\0');
  });

  it('is nothing of a folder or a device', async () => {
    await mkdir(file);
    expect(await readTail(file, 5)).toBeNull();
    expect(await readTail('/dev/zero', 5)).toBeNull();
  });
});
