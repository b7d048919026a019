import { startXvfb } from './xvfb.mjs';

/** Where the app's windows appear: a screen of the person's, or a virtual one. */

/** Whether this session has a screen to show a window on. */
export function hasScreen() {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/**
 * A virtual screen on Linux; elsewhere null, and windows show on the real screen.
 *
 * @param {{ width: number, height: number }} size in pixels
 */
export async function openVirtualScreen(size) {
  return process.platform === 'linux' ? startXvfb(size) : null;
}

/**
 * The variables that put a program's windows on a virtual screen, and only there.
 *
 * @param {string} display
 * @returns {Record<string, string | undefined>}
 */
export function screenEnvironment(display) {
  return { DISPLAY: display, WAYLAND_DISPLAY: undefined, XAUTHORITY: undefined, XDG_SESSION_TYPE: 'x11' };
}
