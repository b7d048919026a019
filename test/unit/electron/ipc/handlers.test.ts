import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedDialogs } from '../../../../electron/desktop/ports/scriptedDialogs';
import { appHandlers } from '../../../../electron/ipc/appHandlers';
import { sceneHandlers } from '../../../../electron/ipc/sceneHandlers';
import { settingsHandlers } from '../../../../electron/ipc/settingsHandlers';
import { snapshotHandlers } from '../../../../electron/ipc/snapshotHandlers';
import { SnapshotPush } from '../../../../electron/ipc/snapshotPush';
import { SettingsFileStore } from '../../../../electron/storage/settingsStore';
import type { AppInfo } from '../../../../shared/contract/appInfo';
import { message } from '../../../../shared/i18n/message';
import { emptySnapshot, FakeLog, FakeSource } from '../fakes';
import { temporaryFolder } from '../sensing/support';

const info: AppInfo = {
  name: 'Headroom',
  version: '0.1.0',
  electronVersion: '45.5.0',
  chromeVersion: '150.0.0.0',
  nodeVersion: '24.0.0',
  platform: 'linux',
  systemLocale: 'zh-CN',
  sandboxed: true,
};

describe('the calls about Snapshots', () => {
  it('give null before the first reading, then the newest', () => {
    const source = new FakeSource();
    const handlers = snapshotHandlers(source, new SnapshotPush(source, () => undefined));
    expect(handlers['snapshot.current'](null)).toBeNull();
    source.deliver(emptySnapshot(5));
    expect(handlers['snapshot.current'](null)).toEqual(emptySnapshot(5));
  });

  it('hand a chart its past', async () => {
    const source = new FakeSource();
    const handlers = snapshotHandlers(source, new SnapshotPush(source, () => undefined));
    const history = await handlers['history.read']({ span: 'day', pixelWidth: 640 });
    expect(history.span).toBe('day');
    expect(source.asked).toContain('history day 640');
  });

  it('hold Snapshots back while the page is hidden', () => {
    const source = new FakeSource();
    const sent: string[] = [];
    const push = new SnapshotPush(source, (name) => sent.push(name));
    const { 'view.visible': tell } = snapshotHandlers(source, push);
    push.setWindowVisible(true);
    tell({ visible: false });
    source.deliver(emptySnapshot(1));
    expect(sent).toEqual([]);
    tell({ visible: true });
    expect(sent).toEqual(['snapshot']);
  });
});

describe('the calls about scenes', () => {
  const scene = {
    id: 'slow-leak',
    title: message('desktop.menuAbout'),
    description: message('desktop.menuAbout'),
  };

  it('list and choose them, and go back to the machine', async () => {
    const source = new FakeSource();
    const handlers = sceneHandlers(source, [scene]);
    expect(handlers['scenes.list'](null)).toEqual([scene]);
    await handlers['scenes.choose']({ sceneId: 'slow-leak' });
    await handlers['scenes.choose']({ sceneId: null });
    expect(source.asked).toEqual(['scene slow-leak', 'scene null']);
  });

  it('refuse a scene that is not there', async () => {
    const source = new FakeSource();
    const choose = sceneHandlers(source, [scene])['scenes.choose'];
    await expect(choose({ sceneId: '../slow-leak' })).rejects.toMatchObject({ code: 'not-found' });
    expect(source.asked).toEqual([]);
  });
});

describe('the calls about settings', () => {
  let folder: string;
  let settings: SettingsFileStore;
  beforeEach(async () => {
    folder = temporaryFolder();
    settings = await SettingsFileStore.open(path.join(folder, 'settings.json'), new FakeLog());
  });
  afterEach(async () => {
    await settings.flush();
  });

  it('read and change them', async () => {
    const handlers = settingsHandlers({
      settings,
      dialogs: new ScriptedDialogs(),
      locale: () => 'en',
      platform: 'linux',
    });
    const changed = await handlers['settings.change']({ theme: 'dark', rules: { hot: false } });
    expect(changed.settings.theme).toBe('dark');
    expect(changed.settings.rulesOff).toEqual(['hot']);
    expect(handlers['settings.read'](null)).toEqual(changed);
  });

  it("take an nvidia-smi from main's own dialog only, and forget it again", async () => {
    const dialogs = new ScriptedDialogs();
    const handlers = settingsHandlers({ settings, dialogs, locale: () => 'zh-CN', platform: 'linux' });
    dialogs.answerNext('/opt/nvidia/bin/nvidia-smi');
    const chosen = await handlers['settings.chooseNvidiaSmi']({ useDefault: false });
    expect(chosen.settings.nvidiaSmiPath).toBe('/opt/nvidia/bin/nvidia-smi');
    expect(dialogs.asked).toMatchObject([
      { id: 'choose-nvidia-smi', title: '选择 nvidia-smi 程序', folder: '/usr/bin' },
    ]);

    const cancelled = await handlers['settings.chooseNvidiaSmi']({ useDefault: false });
    expect(cancelled.settings.nvidiaSmiPath).toBe('/opt/nvidia/bin/nvidia-smi');
    const reset = await handlers['settings.chooseNvidiaSmi']({ useDefault: true });
    expect(reset.settings.nvidiaSmiPath).toBeNull();
    expect(dialogs.asked).toHaveLength(2);
  });

  it('offer programs first on Windows', async () => {
    const dialogs = new ScriptedDialogs();
    const handlers = settingsHandlers({ settings, dialogs, locale: () => 'en', platform: 'win32' });
    await handlers['settings.chooseNvidiaSmi']({ useDefault: false });
    expect(dialogs.asked).toMatchObject([
      { folder: 'C:\\Windows\\System32', filters: [{ extensions: ['exe'] }, { extensions: ['*'] }] },
    ]);
  });
});

describe('the calls about the app', () => {
  const setUp = (own: { folderProblem?: string } = {}) => {
    const log = new FakeLog();
    const handlers = appHandlers({
      info,
      log,
      openLogFolder: () => Promise.resolve(own.folderProblem ?? ''),
    });
    return { log, handlers };
  };

  it('tell what the app is', () => {
    expect(setUp().handlers['app.info'](null)).toEqual(info);
  });

  it('open the folder of the log, or say why not', async () => {
    expect(await setUp().handlers['app.openLogs'](null)).toBeNull();
    const failing = setUp({ folderProblem: 'no file manager' }).handlers['app.openLogs'];
    await expect(failing(null)).rejects.toMatchObject({
      code: 'failed',
      reason: { key: 'desktop.cannotOpenLogs', values: { problem: 'no file manager' } },
    });
  });

  it("write the page's errors down, but not without end", () => {
    const { handlers, log } = setUp();
    for (let count = 0; count < 300; count += 1) handlers['log.rendererError']({ text: 'oh', stack: null });
    expect(log.lines).toHaveLength(201);
    expect(log.lines[0]).toBe('error In the window: oh');
    expect(log.lines.at(-1)).toBe('warn Further errors of the window are not written.');
  });
});
