import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { existingFiles, writeFiles } from '../../../../electron/storage/planFolder';
import { PlanFileStore } from '../../../../electron/storage/planStore';
import { planFilesSchema } from '../../../../shared/contract/planFiles';
import { defaultAnswers } from '../../../../shared/strategy/wizard/defaults';
import { FakeLog } from '../fakes';
import { temporaryFolder } from '../sensing/support';

let folder: string;
let file: string;
let log: FakeLog;
beforeEach(() => {
  folder = temporaryFolder();
  file = path.join(folder, 'plan.json');
  log = new FakeLog();
});

describe('the answers of the wizard', () => {
  it('are remembered over a restart', async () => {
    const store = await PlanFileStore.open(file, log);
    expect(store.saved()).toBeNull();
    const answers = { ...defaultAnswers, hostGib: 128 };
    store.save(defaultAnswers);
    store.save(answers);
    await store.flush();
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ version: 1, answers });
    expect((await PlanFileStore.open(file, log)).saved()).toEqual(answers);
  });

  it('are those of a first start where the file is damaged or of another version', async () => {
    const bytes = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constant(JSON.stringify({ version: 2, answers: defaultAnswers })),
      fc.constant(JSON.stringify({ version: 1, answers: { ...defaultAnswers, path: '/etc' } })),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (text) => {
        await writeFile(file, text);
        expect((await PlanFileStore.open(file, log)).saved()).toBeNull();
      }),
      { numRuns: 50 },
    );
  });

  it('are used until the end where they cannot be written', async () => {
    await writeFile(path.join(folder, 'no'), '');
    const store = await PlanFileStore.open(path.join(folder, 'no', 'plan.json'), log);
    store.save(defaultAnswers);
    await store.flush();
    expect(store.saved()).toEqual(defaultAnswers);
    expect(log.lines.join('\n')).toContain('cannot be remembered');
  });
});

describe('the files of a plan', () => {
  const files = [
    { name: 'train.py', text: 'print(1)\n' },
    { name: 'launch.sh', text: 'python3 train.py\n' },
  ];

  it('are written, the shell script so that it can be started', async () => {
    expect(await existingFiles(folder, files)).toEqual([]);
    await writeFiles(folder, files, []);
    expect(await readFile(path.join(folder, 'train.py'), 'utf8')).toBe('print(1)\n');
    const modes = await Promise.all(files.map(({ name }) => stat(path.join(folder, name))));
    expect(modes.map(({ mode }) => (mode & 0o100) !== 0)).toEqual([false, true]);
  });

  it('replace only what a person agreed to', async () => {
    await writeFile(path.join(folder, 'train.py'), 'mine');
    expect(await existingFiles(folder, files)).toEqual(['train.py']);
    await expect(writeFiles(folder, files, [])).rejects.toThrow('EEXIST');
    expect(await readFile(path.join(folder, 'train.py'), 'utf8')).toBe('mine');
    await writeFiles(folder, files, ['train.py']);
    expect(await readFile(path.join(folder, 'train.py'), 'utf8')).toBe('print(1)\n');
  });

  it('never write through a link', async () => {
    const outside = path.join(folder, 'outside.txt');
    const inside = path.join(folder, 'inside');
    await mkdir(inside);
    await writeFile(outside, 'mine');
    await symlink(outside, path.join(inside, 'train.py'));
    await writeFiles(inside, files, await existingFiles(inside, files));
    expect(await readFile(outside, 'utf8')).toBe('mine');
    expect(await readFile(path.join(inside, 'train.py'), 'utf8')).toBe('print(1)\n');
  });

  it.each([
    '../train.py',
    'sub/train.py',
    '.bashrc',
    'train.py\0',
    'C:\\train.py',
    'train.exe',
    'a.desktop',
    'train.py ',
    'nul.py',
    'COM1.json',
    '',
  ])('are refused under the name %j', (name) => {
    expect(planFilesSchema.safeParse([{ name, text: '' }]).success).toBe(false);
  });

  it('are refused when there are none, too many, or two of one name', () => {
    const many = Array.from({ length: 17 }, (_, index) => ({ name: `a${index}.py`, text: '' }));
    expect(
      [[], many, [files[0], { name: 'TRAIN.py', text: '' }], files].map(
        (list) => planFilesSchema.safeParse(list).success,
      ),
    ).toEqual([false, false, false, true]);
  });
});
