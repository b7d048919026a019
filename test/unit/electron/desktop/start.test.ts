import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { describeApp } from '../../../../electron/desktop/appInfo';
import { logCrashes } from '../../../../electron/desktop/crashes';
import { chooseFirstScene } from '../../../../electron/desktop/firstScene';
import { languageInUse, systemLanguage } from '../../../../electron/desktop/language';
import { readLaunchFlags } from '../../../../electron/desktop/launchFlags';
import { finishBeforeQuit } from '../../../../electron/desktop/shutdown';
import { findPaths } from '../../../../electron/desktop/paths';
import { defaultSettings } from '../../../../shared/contract/defaultSettings';
import { FakeLog } from '../fakes';

describe('the flags of a start', () => {
  it('force the sandbox, unless development switched it off', () => {
    expect(readLaunchFlags(['electron', '.'], {}, false).enforceSandbox).toBe(true);
    expect(readLaunchFlags(['electron', '.', '--no-sandbox'], {}, false).enforceSandbox).toBe(false);
    expect(readLaunchFlags(['headroom', '--no-sandbox'], {}, true).enforceSandbox).toBe(true);
  });

  it('name a scene and a hidden start', () => {
    expect(readLaunchFlags(['headroom', '--hidden'], { HEADROOM_SCENE: ' slow-leak ' }, true)).toEqual({
      enforceSandbox: true,
      hidden: true,
      sceneId: 'slow-leak',
      sceneSpeed: 1,
      skipsSetUp: false,
    });
    expect(readLaunchFlags(['headroom'], { HEADROOM_SCENE: '', HEADROOM_SETUP: 'skip' }, true)).toMatchObject(
      {
        hidden: false,
        sceneId: null,
        skipsSetUp: true,
      },
    );
  });

  it.each([
    ['60', 60],
    ['0.5', 0.5],
    ['1000', 100],
    ['0', 1],
    ['fast', 1],
    ['', 1],
  ])('play scenes %s times as fast: %d', (text, speed) => {
    expect(readLaunchFlags([], { HEADROOM_SCENE_SPEED: text }, false).sceneSpeed).toBe(speed);
  });
});

describe('the first scene', () => {
  const question = {
    fromEnvironment: null,
    fromSettings: null,
    nvidiaSmiFound: true,
    isScene: (id: string) => ['two-3090-oom', 'eight-healthy', 'slow-leak'].includes(id),
  };

  it("is the machine's own cards where nvidia-smi is found", () => {
    expect(chooseFirstScene(question)).toBeNull();
  });
  it('is the two-3090 story where it is not', () => {
    expect(chooseFirstScene({ ...question, nvidiaSmiFound: false })).toBe('two-3090-oom');
  });
  it('is what the environment says before what the settings say', () => {
    expect(chooseFirstScene({ ...question, fromSettings: 'slow-leak' })).toBe('slow-leak');
    expect(
      chooseFirstScene({ ...question, fromEnvironment: 'eight-healthy', fromSettings: 'slow-leak' }),
    ).toBe('eight-healthy');
  });
  it('passes over a scene that does not exist', () => {
    expect(chooseFirstScene({ ...question, fromEnvironment: 'nowhere', fromSettings: '../x' })).toBeNull();
  });
});

describe('the language', () => {
  it('is the nearest to what the system prefers', () => {
    expect(systemLanguage(['zh-Hans-CN', 'en-US'])).toBe('zh-CN');
    expect(systemLanguage(['de-DE', 'zh-CN'])).toBe('en');
    expect(systemLanguage([])).toBe('en');
  });
  it('is the chosen one where one was chosen', () => {
    expect(languageInUse(defaultSettings, 'zh-CN')).toBe('zh-CN');
    expect(languageInUse({ ...defaultSettings, language: 'en' }, 'zh-CN')).toBe('en');
  });
});

describe('what the app says of itself', () => {
  it('is taken from the running process', () => {
    const runtime = {
      platform: 'linux',
      versions: { ...process.versions, electron: '45.5.0', chrome: '150.0' },
    } as const;
    expect(describeApp('1.2.3', runtime, 'en', true)).toEqual({
      name: 'Headroom',
      version: '1.2.3',
      electronVersion: '45.5.0',
      chromeVersion: '150.0',
      nodeVersion: process.versions.node,
      platform: 'linux',
      systemLocale: 'en',
      sandboxed: true,
    });
    expect(describeApp('1', { ...runtime, platform: 'freebsd' }, 'en', true).platform).toBe('other');
  });
});

describe('the paths', () => {
  it('lie in the app and in the user data, nowhere else', () => {
    const app = { getAppPath: () => '/app', getPath: () => '/data' };
    expect(findPaths(app)).toEqual({
      preload: '/app/dist/preload.cjs',
      renderer: '/app/dist/renderer',
      icon: '/app/dist/icon.png',
      settingsFile: '/data/settings.json',
      boundsFile: '/data/window.json',
      alertsFile: '/data/alerts.json',
      planFile: '/data/plan.json',
      receiptsFile: '/data/receipts.json',
      logFolder: '/data/logs',
      logFile: '/data/logs/headroom.log',
    });
  });
});

describe('ending', () => {
  afterEach(() => vi.useRealTimers());

  class FakeApp extends EventEmitter {
    exited = false;
    prevented = 0;
    exit = (): void => {
      this.exited = true;
    };
    quit(): void {
      this.emit('will-quit', { preventDefault: () => (this.prevented += 1) });
    }
  }
  const watch = (app: FakeApp, steps: readonly (() => Promise<unknown>)[]) => {
    const log = new FakeLog();
    finishBeforeQuit(app as unknown as Parameters<typeof finishBeforeQuit>[0], steps, log);
    return log;
  };

  it('waits for every step, once, also for one that fails', async () => {
    const app = new FakeApp();
    const done: string[] = [];
    const log = watch(app, [
      () => Promise.reject(new Error('stuck child')),
      async () => {
        await Promise.resolve();
        done.push('settings');
      },
    ]);
    app.quit();
    app.quit();
    expect([app.prevented, app.exited]).toEqual([2, false]);
    await expect.poll(() => app.exited).toBe(true);
    expect(done).toEqual(['settings']);
    expect(log.lines).toEqual(['warn A step of ending failed. Error: stuck child']);
  });

  it('does not wait for ever', async () => {
    vi.useFakeTimers();
    const app = new FakeApp();
    const log = watch(app, [() => new Promise(() => {})]);
    app.quit();
    await vi.advanceTimersByTimeAsync(2_900);
    expect(app.exited).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(app.exited).toBe(true);
    expect(log.lines).toHaveLength(1);
  });
});

describe('crashes', () => {
  it('of every part go to the log; a clean end does not', () => {
    const app = new EventEmitter();
    const own = new EventEmitter();
    const log = new FakeLog();
    logCrashes(app as unknown as Parameters<typeof logCrashes>[0], own as NodeJS.Process, log);
    app.emit('render-process-gone', {}, {}, { reason: 'clean-exit', exitCode: 0 });
    app.emit('render-process-gone', {}, {}, { reason: 'oom', exitCode: 5 });
    app.emit('child-process-gone', {}, { type: 'GPU', reason: 'crashed', exitCode: 11 });
    own.emit('unhandledRejection', new Error('one'));
    own.emit('uncaughtException', new Error('two'));
    expect(log.lines).toEqual([
      "error The window's process ended: oom, exit code 5.",
      'error A GPU process ended: crashed, exit code 11.',
      'error A promise was rejected and nobody looked. Error: one',
      'error An error was not caught. Error: two',
    ]);
  });
});
