import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hasScreen, openScreen } from './display/open.mjs';
import { environmentOf } from './electron/environment.mjs';
import { prepareLauncher, readableApp } from './electron/launcher.mjs';
import { setUpEverything } from './setup/everything.mjs';
import { onEnd } from './tools/cleanup.mjs';
import { Failure, runScript } from './tools/failure.mjs';
import { cacheFolder, root } from './tools/paths.mjs';
import { say } from './tools/say.mjs';

/** Built beside dist/, so that a half-saved file never gets into what `npm start` and the tests use. */
const appFolder = path.join(cacheFolder, 'dev-app');

/** Saving several files at once is one change. */
const quietMs = 200;

/** `npm run dev`: builds on every save and starts the app anew. Ends when the app's window is closed. */
await runScript(async () => {
  const runtime = await setUpEverything({ virtualScreen: !hasScreen() });
  const screen = await openScreen();
  const launcher = await prepareLauncher(runtime, screen);
  mkdirSync(path.join(appFolder, 'dist'), { recursive: true });
  copyFileSync(path.join(root, 'package.json'), path.join(appFolder, 'package.json'));

  const { watchSources } = await import('./watch.mjs');
  let build = 0;
  /** @type {import('node:child_process').ChildProcess | null} */
  let app = null;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  onEnd(() => app?.kill());

  return new Promise((resolve, reject) => {
    const restart = () => {
      build += 1;
      writeFileSync(path.join(appFolder, 'dist/build.json'), JSON.stringify({ dev: process.pid, build }));
      app?.removeAllListeners('exit');
      app?.kill();
      say(build === 1 ? 'starting the app' : 'a source changed: starting the app anew');
      const args = [...launcher.flags, readableApp(launcher, appFolder), ...process.argv.slice(2)];
      app = spawn(launcher.command, args, { env: environmentOf(launcher), stdio: 'inherit' });
      app.on('error', reject);
      app.on('exit', (code) => resolve(code ?? 1));
    };
    const onBuilt = () => {
      clearTimeout(timer);
      timer = setTimeout(restart, quietMs);
    };
    watchSources(path.join(appFolder, 'dist'), onBuilt).catch((error) => reject(new Failure(String(error))));
  });
});
