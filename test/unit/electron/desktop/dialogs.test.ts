import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Question } from '../../../../electron/desktop/ports/dialogs';
import { nativeDialogs } from '../../../../electron/desktop/ports/nativeDialogs';
import { openDialogs } from '../../../../electron/desktop/ports/openDialogs';
import { ScriptedDialogs } from '../../../../electron/desktop/ports/scriptedDialogs';
import { askAfterWindowFailure } from '../../../../electron/desktop/windowFailure';

const electron = vi.hoisted(() => ({ showMessageBox: vi.fn(), showOpenDialog: vi.fn() }));
vi.mock('electron', () => ({ dialog: electron }));

const question: Question = {
  id: 'end-job',
  severity: 'warning',
  title: 'End the job?',
  text: 'Two processes will end.',
  detail: null,
  buttons: [
    { id: 'end', label: 'Free 12.3 GiB' },
    { id: 'cancel', label: 'Cancel' },
  ],
  safeButtonId: 'cancel',
};
const fileQuestion = { id: 'f', title: 'Choose', buttonLabel: 'Use', folder: '/usr/bin', filters: [] };

beforeEach(() => void vi.resetAllMocks());

describe('native dialogs', () => {
  it('make the harmless button the default and the answer of Escape', async () => {
    electron.showMessageBox.mockResolvedValue({ response: 0 });
    expect(await nativeDialogs(() => null).ask(question)).toBe('end');
    expect(electron.showMessageBox).toHaveBeenCalledWith({
      type: 'warning',
      title: 'End the job?',
      message: 'Two processes will end.',
      buttons: ['Free 12.3 GiB', 'Cancel'],
      defaultId: 1,
      cancelId: 1,
      noLink: true,
    });
  });

  it('take an answer that is no button for the harmless one', async () => {
    electron.showMessageBox.mockResolvedValue({ response: -1 });
    expect(await nativeDialogs(() => null).ask(question)).toBe('cancel');
  });

  it('stand in front of the window', async () => {
    electron.showMessageBox.mockResolvedValue({ response: 1 });
    const window = { id: 1 };
    await nativeDialogs(() => window as never).ask({ ...question, detail: 'pid 1' });
    expect(electron.showMessageBox.mock.calls[0]?.[0]).toBe(window);
    expect(electron.showMessageBox.mock.calls[0]?.[1]).toMatchObject({ detail: 'pid 1' });
  });

  it('let a folder be chosen or made', async () => {
    electron.showOpenDialog.mockResolvedValueOnce({ canceled: false, filePaths: ['/home/ada/run'] });
    const { filters: _filters, ...folderQuestion } = fileQuestion;
    expect(await nativeDialogs(() => null).chooseFolder(folderQuestion)).toBe('/home/ada/run');
    expect(electron.showOpenDialog).toHaveBeenCalledWith({
      title: 'Choose',
      buttonLabel: 'Use',
      defaultPath: '/usr/bin',
      properties: ['openDirectory', 'createDirectory'],
    });
  });

  it('give the chosen file, or null', async () => {
    electron.showOpenDialog.mockResolvedValueOnce({ canceled: false, filePaths: ['/usr/bin/nvidia-smi'] });
    electron.showOpenDialog.mockResolvedValueOnce({ canceled: true, filePaths: [] });
    const dialogs = nativeDialogs(() => null);
    expect(await dialogs.chooseFile(fileQuestion)).toBe('/usr/bin/nvidia-smi');
    expect(await dialogs.chooseFile(fileQuestion)).toBeNull();
    expect(electron.showOpenDialog).toHaveBeenCalledWith(
      expect.objectContaining({ defaultPath: '/usr/bin', properties: ['openFile'] }),
    );
  });
});

describe('scripted dialogs', () => {
  it('give the queued answers in order, and the harmless one where there is none', async () => {
    const dialogs = new ScriptedDialogs();
    dialogs.answerNext('end');
    dialogs.answerNext('no such button');
    expect([await dialogs.ask(question), await dialogs.ask(question), await dialogs.ask(question)]).toEqual([
      'end',
      'cancel',
      'cancel',
    ]);
    expect(dialogs.asked).toEqual([question, question, question]);
  });
});

describe('the dialogs of a build', () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    ['an ordinary build', false, false, false],
    ['a build without a mark', undefined, false, false],
    ['the build for tests', true, false, true],
    ['the build for tests, if anybody packaged it', true, true, false],
  ])('of %s', (_name, mark, isPackaged, scripted) => {
    vi.stubGlobal('HEADROOM_TEST_BUILD', mark);
    vi.stubGlobal('headroomDialogs', undefined);
    const dialogs = openDialogs(isPackaged, () => null);
    expect(dialogs instanceof ScriptedDialogs).toBe(scripted);
    expect((globalThis as Record<string, unknown>)['headroomDialogs']).toBe(scripted ? dialogs : undefined);
  });
});

describe('after the window failed', () => {
  it('one may open it again or quit', async () => {
    const dialogs = new ScriptedDialogs();
    dialogs.answerNext('quit');
    expect(await askAfterWindowFailure(dialogs, 'en', 'oom')).toBe('quit');
    expect(await askAfterWindowFailure(dialogs, 'zh-CN', 'crashed')).toBe('reload');
    expect(dialogs.asked).toMatchObject([
      { text: expect.stringContaining('(oom)') },
      { buttons: [{ label: '重新打开' }, { label: '退出' }] },
    ]);
  });
});
