import { startXvfb } from './xvfb.mjs';

/** Whether this session has a screen to show a window on. */
export function hasScreen() {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** Large enough for the window's first size, so that a screenshot shows all of it. */
const firstWindowSize = { width: 1280, height: 800 };

/**
 * Where the app's windows appear: the person's screen, or a virtual one where there is none.
 *
 * @typedef {object} Screen
 * @property {boolean} isVirtual
 * @property {Record<string, string | undefined>} env the variables that put a program's windows there
 * @property {import('./xvfb.mjs').VirtualScreen | null} virtual
 */

/**
 * The person's screen where there is one, else a virtual one.
 *
 * @returns {Promise<Screen>}
 * @throws {import('../tools/failure.mjs').Failure} when a virtual screen does not start
 */
export async function openScreen() {
  return hasScreen() ? { isVirtual: false, env: {}, virtual: null } : openVirtualScreen(firstWindowSize);
}

/**
 * A virtual screen on Linux; elsewhere windows show on the real one.
 *
 * @param {{ width: number, height: number }} size in pixels
 * @returns {Promise<Screen>}
 */
export async function openVirtualScreen(size) {
  if (process.platform !== 'linux') return { isVirtual: false, env: {}, virtual: null };
  const virtual = await startXvfb(size);
  return { isVirtual: true, env: screenEnvironment(virtual.display), virtual };
}

/**
 * The variables that put a program's windows on a virtual screen, and only there.
 *
 * @param {string} display
 * @returns {Record<string, string | undefined>}
 */
function screenEnvironment(display) {
  return { DISPLAY: display, WAYLAND_DISPLAY: undefined, XAUTHORITY: undefined, XDG_SESSION_TYPE: 'x11' };
}
