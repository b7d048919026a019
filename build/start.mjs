import { spawn } from 'node:child_process';
import path from 'node:path';
import { hasScreen, openVirtualScreen, screenEnvironment } from './display/open.mjs';
import { waitForPicture } from './display/screenshot.mjs';
import { environmentOf } from './electron/environment.mjs';
import { findElectron } from './electron/find.mjs';
import { prepareLauncher, readableApp } from './electron/launcher.mjs';
import { ensureBuilt } from './inputs.mjs';
import { ensureDependencies } from './setup/dependencies.mjs';
import { ensureLibraries } from './setup/libraries.mjs';
import { checkNode } from './setup/node.mjs';
import { onEnd } from './tools/cleanup.mjs';
import { runScript } from './tools/failure.mjs';
import { root } from './tools/paths.mjs';
import { say } from './tools/say.mjs';

/** Large enough for the window's first size, so that a screenshot shows all of it. */
const virtualSize = { width: 1280, height: 800 };

/**
 * `npm start`: sets up what is missing and opens the app. Arguments after `--` go to the app.
 *
 * Without a screen the app runs on a virtual one and a screenshot is written; then it goes on until Ctrl+C where a
 * person sits at a terminal, and ends where nobody does.
 */
await runScript(async () => {
  checkNode();
  await ensureDependencies();
  const runtime = await findElectron();
  const isVirtual = !hasScreen();
  await ensureLibraries({ electron: runtime.executable, virtualScreen: isVirtual });
  await ensureBuilt();
  const screen = isVirtual ? await openVirtualScreen(virtualSize) : null;
  const launcher = await prepareLauncher(runtime, {
    isVirtual,
    env: screen ? screenEnvironment(screen.display) : {},
  });

  const args = [...launcher.flags, readableApp(launcher, root), ...process.argv.slice(2)];
  const app = spawn(launcher.command, args, {
    env: environmentOf(launcher),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  onEnd(() => app.kill());
  const ended = exitCodeOf(app);
  if (screen === null) return ended;

  say('no screen here: the app runs on a virtual one (Xvfb)');
  const file = path.join(root, 'screenshots/start.png');
  const shown = await Promise.race([ended, waitForPicture(screen, file)]);
  if (typeof shown === 'number') {
    say('the app ended before its window showed anything');
    return shown === 0 ? 1 : shown;
  }
  say(`screenshot: ${file}`);
  if (process.stdout.isTTY) {
    say('press Ctrl+C to end the app');
    return ended;
  }
  app.kill();
  await ended;
  screen.stop();
  return 0;
});

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>} 128 + the signal's number is not known here, so a signal counts as 1
 */
function exitCodeOf(child) {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
