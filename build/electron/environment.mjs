/**
 * The whole environment of the app: ours, with the launcher's variables added and removed.
 *
 * @param {{ env: Record<string, string | undefined> }} launcher
 * @param {Record<string, string | undefined>} [more] undefined removes a variable
 * @returns {Record<string, string>}
 */
export function environmentOf(launcher, more = {}) {
  /** @type {Record<string, string>} */
  const env = {};
  for (const [name, value] of Object.entries({ ...process.env, ...launcher.env, ...more })) {
    if (value !== undefined) env[name] = value;
  }
  delete env.ELECTRON_RUN_AS_NODE; // Set by some editors' terminals; Electron would then open no window.
  delete env.NODE_OPTIONS; // Meant for our Node, not for Electron's.
  return env;
}
