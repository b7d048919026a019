import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron';
import { minimumSize, type WindowBounds } from './bounds';

export interface WindowLook {
  readonly bounds: WindowBounds;
  readonly preload: string;
  readonly icon: string;
  readonly dark: boolean;
  readonly title: string;
  readonly development: boolean;
}

/** Equal to the page's own background, so that no other colour flashes before it is painted. */
export const backgrounds = { light: '#f7f7f9', dark: '#17181c' } as const;

/** How long to wait for the page before the window is shown all the same. */
const showAnywayMs = 2_000;

/**
 * The options of the only window. Everything that guards it is stated, also where it is Electron's default: a test
 * reads this object.
 */
export function windowOptions(look: WindowLook): BrowserWindowConstructorOptions {
  const { bounds } = look;
  return {
    width: bounds.width,
    height: bounds.height,
    ...(bounds.x === null || bounds.y === null ? {} : { x: bounds.x, y: bounds.y }),
    minWidth: minimumSize.width,
    minHeight: minimumSize.height,
    show: false,
    title: look.title,
    backgroundColor: look.dark ? backgrounds.dark : backgrounds.light,
    autoHideMenuBar: true,
    icon: look.icon,
    webPreferences: {
      preload: look.preload,
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
      devTools: look.development,
    },
  };
}

/**
 * Shows a window as soon as it has something to show: `ready-to-show` may never come for a hidden window on Wayland
 * (https://github.com/electron/electron/issues/48859), so the loaded page or two seconds will do too.
 */
export function showWhenReady(window: BrowserWindow): void {
  const show = (): void => {
    clearTimeout(timer);
    if (window.isDestroyed()) return;
    window.off('ready-to-show', show);
    window.webContents.off('did-finish-load', show);
    if (!window.isVisible()) window.show();
  };
  const timer = setTimeout(show, showAnywayMs);
  window.once('ready-to-show', show);
  window.webContents.once('did-finish-load', show);
  window.once('closed', () => clearTimeout(timer));
}
