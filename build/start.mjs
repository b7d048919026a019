import { spawn } from 'node:child_process';
import path from 'node:path';
import { hasScreen, openScreen } from './display/open.mjs';
import { waitForPicture } from './display/screenshot.mjs';
import { environmentOf } from './electron/environment.mjs';
import { prepareLauncher, readableApp } from './electron/launcher.mjs';
import { ensureBuilt } from './inputs.mjs';
import { setUpEverything } from './setup/everything.mjs';
import { onEnd } from './tools/cleanup.mjs';
import { runScript } from './tools/failure.mjs';
import { root } from './tools/paths.mjs';
import { say } from './tools/say.mjs';

/**
 * `npm start`: sets up what is missing and opens the app. Arguments after `--` go to the app.
 *
 * Without a screen the app runs on a virtual one and a screenshot is written; then it goes on until Ctrl+C where a
 * person sits at a terminal, and ends where nobody does.
 */
await runScript(async () => {
  const runtime = await setUpEverything({ virtualScreen: !hasScreen() });
  await ensureBuilt();
  const screen = await openScreen();
  const launcher = await prepareLauncher(runtime, screen);

  const args = [...launcher.flags, readableApp(launcher, root), ...process.argv.slice(2)];
  const app = spawn(launcher.command, args, {
    // Without a screen nobody can answer the first set-up; the picture shall show the Workstation.
    env: { ...environmentOf(launcher), ...(screen.isVirtual ? { HEADROOM_SETUP: 'skip' } : {}) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  onEnd(() => app.kill());
  const ended = exitCodeOf(app);
  if (screen.virtual === null) return ended;
  const code = await showOnVirtualScreen(screen.virtual, app, ended);
  screen.virtual.stop();
  return code;
});

/**
 * @param {import('./display/xvfb.mjs').VirtualScreen} screen
 * @param {import('node:child_process').ChildProcess} app
 * @param {Promise<number>} ended the app's exit code
 * @returns {Promise<number>} ours
 */
async function showOnVirtualScreen(screen, app, ended) {
  say('no screen here: the app runs on a virtual one (Xvfb)');
  const file = path.join(root, 'screenshots/start.png');
  const waiting = new AbortController();
  const outcome = await Promise.race([ended, waitForPicture(screen, file, waiting.signal)]);
  waiting.abort();
  if (outcome !== 'drawn') {
    say('the app ended before its window showed anything');
    return outcome === 0 ? 1 : outcome;
  }
  say(`screenshot: ${file}`);
  if (process.stdout.isTTY) {
    say('press Ctrl+C to end the app');
    return ended;
  }
  app.kill();
  await ended;
  return 0;
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>} 1 where a signal ended it
 */
function exitCodeOf(child) {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
