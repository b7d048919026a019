import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { errorCode } from '../../../../electron/errors';
import { JsonWriter } from '../../../../electron/storage/jsonWriter';
import { temporaryFolder } from '../sensing/support';

let folder = '';
beforeEach(() => {
  folder = temporaryFolder();
});

it('leaves the newest of many values in the file', async () => {
  const file = path.join(folder, 'kept.json');
  const failures: unknown[] = [];
  const writer = new JsonWriter(file, (error) => failures.push(error));
  for (let count = 1; count <= 50; count += 1) writer.write({ count });
  await writer.flush();
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ count: 50 });
  expect(failures).toEqual([]);
});

it('tells what cannot be written, and writes again once it can', async () => {
  const blocked = path.join(folder, 'data');
  await writeFile(blocked, 'a file where a folder should be');
  const failures: unknown[] = [];
  const writer = new JsonWriter(path.join(blocked, 'kept.json'), (error) => failures.push(error));
  writer.write({ count: 1 });
  await writer.flush();
  expect(failures.map(errorCode)).toEqual([expect.stringMatching(/^(EEXIST|ENOTDIR)$/)]);
  await rm(blocked);
  writer.write({ count: 2 });
  await writer.flush();
  expect(JSON.parse(await readFile(path.join(blocked, 'kept.json'), 'utf8'))).toEqual({ count: 2 });
  expect(failures).toHaveLength(1);
});
