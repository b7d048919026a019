import type { BrowserWindow } from 'electron';
import type { SavedBounds } from './bounds';

/** A window that is being dragged says so many times a second; this long after the last word it is written. */
const settleMs = 500;

/**
 * Hands over the window's bounds a moment after they last changed, and when it closes. Under Wayland the position is
 * not known to the app, so only the size is kept (https://github.com/electron/electron/issues/40886).
 */
export function rememberBounds(
  window: BrowserWindow,
  positionKnown: boolean,
  save: (bounds: SavedBounds) => void,
): void {
  let timer: NodeJS.Timeout | undefined;
  const saveNow = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const { x, y, width, height } = window.getNormalBounds();
    save({
      width,
      height,
      x: positionKnown ? x : null,
      y: positionKnown ? y : null,
      maximised: window.isMaximized(),
    });
  };
  const saveSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(saveNow, settleMs);
  };
  window.on('resize', saveSoon);
  window.on('move', saveSoon);
  window.on('maximize', saveSoon);
  window.on('unmaximize', saveSoon);
  window.on('close', () => {
    if (timer !== undefined) saveNow();
  });
}

/** Whether the session tells an app where its windows are. */
export function isPositionKnown(environment: Readonly<Record<string, string | undefined>>): boolean {
  return environment['XDG_SESSION_TYPE'] !== 'wayland' && environment['WAYLAND_DISPLAY'] === undefined;
}
