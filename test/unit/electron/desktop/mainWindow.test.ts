import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MainWindow, type MainWindowOptions } from '../../../../electron/desktop/mainWindow';

/** As much of Electron as MainWindow touches; what is done to a window is written down. */
const electron = vi.hoisted(() => {
  const made: FakeWindow[] = [];
  const state = { dark: false, loadFailure: null as Error | null };
  class Emitter {
    readonly listeners = new Map<string, ((...values: unknown[]) => void)[]>();
    on(name: string, listener: (...values: unknown[]) => void): this {
      this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
      return this;
    }
    once(name: string, listener: (...values: unknown[]) => void): this {
      return this.on(name, listener);
    }
    off(): this {
      return this;
    }
    emit(name: string, ...values: unknown[]): void {
      for (const listener of this.listeners.get(name) ?? []) listener(...values);
    }
  }
  class FakeWindow extends Emitter {
    readonly done: string[] = [];
    readonly webContents = Object.assign(new Emitter(), { reload: () => this.done.push('reload') });
    visible = false;
    minimised = false;
    constructor(readonly options: Readonly<Record<string, unknown>>) {
      super();
      made.push(this);
    }
    isVisible = () => this.visible;
    isMinimized = () => this.minimised;
    isMaximized = () => false;
    isDestroyed = () => false;
    getNormalBounds = () => ({ x: 5, y: 6, width: 1000, height: 700 });
    show(): void {
      this.visible = true;
      this.done.push('show');
      this.emit('show');
    }
    minimize(): void {
      this.minimised = true;
      this.done.push('minimise');
      this.emit('minimize');
    }
    restore(): void {
      this.minimised = false;
      this.done.push('restore');
    }
    focus = () => this.done.push('focus');
    maximize = () => this.done.push('maximise');
    setBackgroundColor = (colour: string) => this.done.push(`background ${colour}`);
    loadURL(url: string): Promise<void> {
      this.done.push(`load ${url}`);
      return state.loadFailure === null ? Promise.resolve() : Promise.reject(state.loadFailure);
    }
  }
  return { made, state, Emitter, FakeWindow, theme: new Emitter() };
});

vi.mock('electron', () => {
  const display = { id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1080 } };
  return {
    BrowserWindow: electron.FakeWindow,
    nativeTheme: Object.defineProperty(electron.theme, 'shouldUseDarkColors', {
      get: () => electron.state.dark,
    }),
    screen: { getPrimaryDisplay: () => display, getAllDisplays: () => [display] },
  };
});

function setUp(own: Partial<MainWindowOptions> = {}) {
  const told: unknown[] = [];
  const window = new MainWindow({
    preload: '/app/dist/preload.cjs',
    icon: '/app/icon.png',
    title: 'Headroom',
    development: false,
    savedBounds: null,
    saveBounds: (bounds) => told.push(['bounds', bounds.width]),
    mayClose: () => true,
    onVisible: (visible) => told.push(['visible', visible]),
    onLoad: () => told.push('load'),
    onGone: (reason) => told.push(['gone', reason]),
    ...own,
  });
  const native = () => {
    const newest = electron.made.at(-1);
    if (newest === undefined) throw new Error('no window was made');
    return newest;
  };
  return { window, told, native };
}

beforeEach(() => {
  electron.made.length = 0;
  electron.state.dark = false;
  electron.state.loadFailure = null;
});

describe('the main window', () => {
  it('loads our page and is shown when that is ready', () => {
    const { window, told, native } = setUp();
    expect(window.current()).toBeNull();
    window.show();
    expect(native().done).toEqual(['load app://headroom/index.html']);
    native().emit('ready-to-show');
    expect(native().done).toContain('show');
    expect(told).toEqual([['visible', true]]);
    expect(window.current()).toBe(native());
  });

  it('tells once it is in sight, not when it is opened', async () => {
    const { window, native } = setUp();
    const seen: string[] = [];
    void window.firstShown().then(() => seen.push('shown'));
    window.show();
    await Promise.resolve();
    expect(seen).toEqual([]);
    native().emit('ready-to-show');
    await Promise.resolve();
    expect(seen).toEqual(['shown']);
  });

  it('is brought to the front instead of opened twice', () => {
    const { window, native } = setUp();
    window.show();
    native().minimised = true;
    window.show();
    expect(electron.made).toHaveLength(1);
    expect(native().done.slice(1)).toEqual(['restore', 'show', 'focus']);
  });

  it('opens minimised and is not shown when the page is ready', () => {
    const { window, told, native } = setUp();
    window.openMinimised();
    native().emit('ready-to-show');
    native().webContents.emit('did-finish-load');
    expect(native().done).toEqual(['load app://headroom/index.html', 'minimise']);
    expect(told).toEqual([['visible', false]]);
  });

  it('opens anew after it was closed, where it was', () => {
    const savedBounds = { x: 10, y: 20, width: 1100, height: 750, maximised: true };
    const { window, told, native } = setUp({ savedBounds });
    window.show();
    expect(native().options).toMatchObject({ x: 10, y: 20, width: 1100, height: 750 });
    expect(native().done).toContain('maximise');
    native().emit('resize');
    native().emit('close');
    native().emit('closed');
    expect(window.current()).toBeNull();
    expect(told).toEqual([
      ['bounds', 1000],
      ['visible', false],
    ]);
    window.show();
    expect(electron.made).toHaveLength(2);
    expect(native().options).toMatchObject({ x: 5, y: 6, width: 1000, height: 700 });
  });

  it('tells when its page begins to load, and when that fails or its process ends', async () => {
    electron.state.loadFailure = new Error('ERR_FAILED');
    const { window, told, native } = setUp();
    window.show();
    native().webContents.emit('did-start-loading');
    native().webContents.emit('render-process-gone', {}, { reason: 'clean-exit' });
    native().webContents.emit('render-process-gone', {}, { reason: 'oom' });
    await expect.poll(() => told).toEqual(['load', ['gone', 'oom'], ['gone', 'ERR_FAILED']]);
    window.reload();
    expect(native().done).toContain('reload');
  });

  it('follows the theme with its background', () => {
    const { window, native } = setUp();
    window.show();
    expect(native().options).toMatchObject({ backgroundColor: '#f7f7f9' });
    electron.state.dark = true;
    electron.theme.emit('updated');
    expect(native().done).toContain('background #17181c');
  });
});
