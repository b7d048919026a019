import { EventEmitter } from 'node:events';
import type { BrowserWindow } from 'electron';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isPositionKnown, rememberBounds } from '../../../../electron/desktop/rememberBounds';
import { showWhenReady, windowOptions, type WindowLook } from '../../../../electron/desktop/window';
import type { SavedBounds } from '../../../../electron/desktop/bounds';

const look: WindowLook = {
  bounds: { width: 1280, height: 800, x: null, y: null },
  preload: '/app/dist/preload.cjs',
  icon: '/app/icon.png',
  dark: false,
  title: 'Headroom',
  development: false,
};

describe('the options of the window', () => {
  it('are these, every guard stated', () => {
    expect(windowOptions(look)).toEqual({
      width: 1280,
      height: 800,
      minWidth: 900,
      minHeight: 600,
      show: false,
      title: 'Headroom',
      backgroundColor: '#f7f7f9',
      autoHideMenuBar: true,
      icon: '/app/icon.png',
      webPreferences: {
        preload: '/app/dist/preload.cjs',
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webviewTag: false,
        webSecurity: true,
        allowRunningInsecureContent: false,
        experimentalFeatures: false,
        navigateOnDragDrop: false,
        spellcheck: false,
        disableDialogs: true,
        devTools: false,
      },
    });
  });

  it('have developer tools in development only', () => {
    expect(windowOptions({ ...look, development: true }).webPreferences?.devTools).toBe(true);
  });

  it('take the dark background, a place and an icon', () => {
    const bounds = { width: 900, height: 600, x: -50, y: 0 };
    expect(windowOptions({ ...look, dark: true, bounds, icon: '/app/icon.png' })).toMatchObject({
      backgroundColor: '#17181c',
      x: -50,
      y: 0,
      icon: '/app/icon.png',
    });
  });
});

/** As much of a BrowserWindow as these functions touch. */
class FakeWindow extends EventEmitter {
  readonly webContents = new EventEmitter();
  shown = 0;
  destroyed = false;
  bounds = { x: 10, y: 20, width: 1000, height: 700 };
  maximised = false;
  isVisible = (): boolean => this.shown > 0;
  isDestroyed = (): boolean => this.destroyed;
  isMaximized = (): boolean => this.maximised;
  getNormalBounds = () => this.bounds;
  show = (): void => {
    this.shown += 1;
  };
  asWindow = (): BrowserWindow => this as unknown as BrowserWindow;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('showWhenReady', () => {
  it.each([
    ['ready-to-show', (window: FakeWindow) => window.emit('ready-to-show')],
    ['the loaded page', (window: FakeWindow) => window.webContents.emit('did-finish-load')],
    ['two seconds', () => vi.advanceTimersByTime(2_000)],
  ])('shows the window after %s, once', (_name, happen) => {
    const window = new FakeWindow();
    showWhenReady(window.asWindow());
    vi.advanceTimersByTime(1_999);
    expect(window.shown).toBe(0);
    happen(window);
    expect(window.shown).toBe(1);
    window.emit('ready-to-show');
    window.webContents.emit('did-finish-load');
    vi.advanceTimersByTime(10_000);
    expect(window.shown).toBe(1);
  });

  it('leaves a window alone that was closed before', () => {
    const window = new FakeWindow();
    showWhenReady(window.asWindow());
    window.destroyed = true;
    window.emit('closed');
    vi.advanceTimersByTime(10_000);
    expect(window.shown).toBe(0);
  });
});

describe('rememberBounds', () => {
  const remember = (positionKnown: boolean) => {
    const window = new FakeWindow();
    const saved: SavedBounds[] = [];
    rememberBounds(window.asWindow(), positionKnown, (bounds) => saved.push(bounds));
    return { window, saved };
  };

  it('saves once, a moment after the window came to rest', () => {
    const { window, saved } = remember(true);
    for (let step = 0; step < 20; step += 1) {
      window.emit('resize');
      vi.advanceTimersByTime(100);
    }
    expect(saved).toEqual([]);
    vi.advanceTimersByTime(500);
    expect(saved).toEqual([{ x: 10, y: 20, width: 1000, height: 700, maximised: false }]);
  });

  it('saves what is not saved yet when the window closes', () => {
    const { window, saved } = remember(true);
    window.maximised = true;
    window.emit('maximize');
    window.emit('close');
    expect(saved).toEqual([{ x: 10, y: 20, width: 1000, height: 700, maximised: true }]);
    vi.advanceTimersByTime(10_000);
    expect(saved).toHaveLength(1);
  });

  it('writes nothing for a window that stayed as it was', () => {
    const { window, saved } = remember(true);
    window.emit('close');
    expect(saved).toEqual([]);
  });

  it('keeps no position where the desktop does not tell it', () => {
    const { window, saved } = remember(false);
    window.emit('move');
    vi.advanceTimersByTime(500);
    expect(saved).toMatchObject([{ x: null, y: null, width: 1000 }]);
  });

  it('knows Wayland by its environment', () => {
    expect(isPositionKnown({ XDG_SESSION_TYPE: 'x11' })).toBe(true);
    expect(isPositionKnown({})).toBe(true);
    expect(isPositionKnown({ XDG_SESSION_TYPE: 'wayland' })).toBe(false);
    expect(isPositionKnown({ WAYLAND_DISPLAY: 'wayland-0' })).toBe(false);
  });
});
