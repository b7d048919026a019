import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedDialogs } from '../../../../electron/desktop/ports/scriptedDialogs';
import { planHandlers } from '../../../../electron/ipc/planHandlers';
import { CallRefusal } from '../../../../electron/ipc/answer';
import { PlanFileStore } from '../../../../electron/storage/planStore';
import { SettingsFileStore } from '../../../../electron/storage/settingsStore';
import { defaultAnswers } from '../../../../shared/strategy/wizard/defaults';
import { FakeLog } from '../fakes';
import { temporaryFolder } from '../sensing/support';

let folder: string;
let dialogs: ScriptedDialogs;
let saved: string[];
/** What is still being written must be there before the folder goes. */
let flush: () => Promise<unknown>;
beforeEach(() => {
  folder = temporaryFolder();
  dialogs = new ScriptedDialogs();
  saved = [];
  flush = () => Promise.resolve();
});
afterEach(async () => {
  await flush();
});

const files = [
  { name: 'train.py', text: 'new' },
  { name: 'README.md', text: 'words' },
];

async function setUp(readOnly = false) {
  const log = new FakeLog();
  const settings = await SettingsFileStore.open(path.join(folder, 'state', 'settings.json'), log);
  settings.assume({ readOnly });
  const plan = await PlanFileStore.open(path.join(folder, 'state', 'plan.json'), log);
  flush = () => Promise.all([plan.flush(), settings.flush()]);
  return planHandlers({
    plan,
    settings,
    dialogs,
    locale: () => 'en',
    homeFolder: '/home/ada',
    readLinks: () => Promise.resolve([{ from: 'GPU0', to: 'GPU1', kind: 'NV4', link: null }]),
    onSaved: (written) => saved.push(...written.map(({ name }) => name)),
  });
}

describe('saving a plan', () => {
  it('asks for the folder in main, writes, and begins there the next time', async () => {
    const { 'plan.save': save } = await setUp();
    dialogs.answerNext(folder);
    expect(await save({ files })).toEqual({ kind: 'saved', folder, names: ['train.py', 'README.md'] });
    expect(await readFile(path.join(folder, 'train.py'), 'utf8')).toBe('new');
    expect(saved).toEqual(['train.py', 'README.md']);
    expect(await save({ files })).toEqual({ kind: 'cancelled' });
    expect(dialogs.asked).toMatchObject([
      { id: 'plan-folder', folder: '/home/ada' },
      { id: 'plan-folder', folder },
    ]);
  });

  it('replaces files only after a yes, with Cancel as the default', async () => {
    const { 'plan.save': save } = await setUp();
    await writeFile(path.join(folder, 'train.py'), 'mine');
    dialogs.answerNext(folder);
    expect(await save({ files })).toEqual({ kind: 'cancelled' });
    expect(await readFile(path.join(folder, 'train.py'), 'utf8')).toBe('mine');
    expect(await readdir(folder)).not.toContain('README.md');
    expect(dialogs.asked[1]).toMatchObject({
      id: 'replace-plan-files',
      detail: 'train.py',
      safeButtonId: 'cancel',
      text: `One file of this name is in ${folder} already. Replacing it cannot be undone.`,
    });
    dialogs.answerNext(folder);
    dialogs.answerNext('replace');
    expect(await save({ files })).toMatchObject({ kind: 'saved' });
    expect(await readFile(path.join(folder, 'train.py'), 'utf8')).toBe('new');
  });

  it('is refused in read-only mode, before anything is asked', async () => {
    const { 'plan.save': save } = await setUp(true);
    await expect(save({ files })).rejects.toMatchObject({ code: 'read-only' });
    expect(dialogs.asked).toEqual([]);
  });

  it('says what the system says where a folder cannot be written', async () => {
    const { 'plan.save': save } = await setUp();
    const gone = path.join(folder, 'gone');
    dialogs.answerNext(gone);
    const failure: unknown = await Promise.resolve(save({ files })).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CallRefusal);
    expect(failure).toMatchObject({ code: 'failed', reason: { values: { folder: gone } } });
    expect(saved).toEqual([]);
  });
});

it('how the cards are joined is read when it is asked', async () => {
  const { 'plan.links': read } = await setUp();
  expect(await read(null)).toEqual([{ from: 'GPU0', to: 'GPU1', kind: 'NV4', link: null }]);
});

describe('the answers of the wizard', () => {
  it('are kept and given back', async () => {
    const handlers = await setUp();
    expect(handlers['plan.read'](null)).toBeNull();
    expect(handlers['plan.remember']({ answers: defaultAnswers })).toBeNull();
    expect(handlers['plan.read'](null)).toEqual(defaultAnswers);
  });
});
