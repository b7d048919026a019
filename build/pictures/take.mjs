import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { _electron } from 'playwright-core';
import { openVirtualScreen } from '../display/open.mjs';
import { environmentOf } from '../electron/environment.mjs';
import { prepareLauncher, readableApp } from '../electron/launcher.mjs';
import { ensureBuilt } from '../inputs.mjs';
import { setUpEverything } from '../setup/everything.mjs';
import { runScript } from '../tools/failure.mjs';
import { root } from '../tools/paths.mjs';
import { say } from '../tools/say.mjs';

/** @typedef {import('playwright-core').Page} Page */

const size = { width: 1280, height: 800 };

/**
 * The pictures of the README: what each shows, and how the window comes to show it.
 *
 * @type {readonly { name: string, scene: string, show: (window: Page) => Promise<void> }[]}
 */
const pictures = [
  {
    name: 'workstation',
    scene: 'two-3090-oom',
    // Long enough for the forecast to be sure, and before the job dies.
    show: (window) =>
      window
        .locator('tr[data-gpu="1"]')
        .waitFor()
        .then(() => wait(28_000)),
  },
  {
    name: 'plan',
    scene: 'two-3090-oom',
    async show(window) {
      await window.locator('tr[data-gpu="1"]').waitFor();
      await window.keyboard.press('2');
      await wait(15_000);
    },
  },
];

/** `npm run pictures`: takes the pictures of the README anew, on a virtual screen. */
await runScript(async () => {
  const runtime = await setUpEverything({ virtualScreen: true });
  await ensureBuilt();
  const screen = await openVirtualScreen({ width: 1600, height: 1000 });
  const launcher = await prepareLauncher(runtime, screen);
  const { defaultSettings } = await settingsModule();
  for (const picture of pictures) {
    const config = userDataFolder(launcher, {
      ...defaultSettings,
      language: 'en',
      theme: 'light',
      firstRunDone: true,
    });
    const app = await _electron.launch({
      executablePath: launcher.command,
      args: [...launcher.flags, readableApp(launcher, root)],
      env: environmentOf(launcher, { XDG_CONFIG_HOME: config, HEADROOM_SCENE: picture.scene }),
      chromiumSandbox: !launcher.flags.includes('--no-sandbox'),
      colorScheme: null,
    });
    const window = await app.firstWindow();
    await picture.show(window);
    const file = path.join(root, 'build/pictures', `${picture.name}.png`);
    await window.screenshot({ path: file });
    say(`build/pictures/${picture.name}.png`);
    await app.close();
    rmSync(config, { recursive: true, force: true });
  }
  screen.virtual?.stop();
});

async function settingsModule() {
  const { importTypeScript } = await import('../typescript.mjs');
  return /** @type {Promise<{ defaultSettings: object }>} */ (
    importTypeScript(path.join(root, 'shared/contract/defaultSettings.ts'))
  );
}

/**
 * @param {import('../electron/launcher.mjs').Launcher} launcher
 * @param {object} settings
 * @returns {string} a folder for XDG_CONFIG_HOME that the launcher's user owns
 */
function userDataFolder(launcher, settings) {
  const config = mkdtempSync(path.join(os.tmpdir(), 'headroom-pictures-'));
  const folder = path.join(config, 'Headroom');
  mkdirSync(folder);
  const files = {
    'settings.json': settings,
    'window.json': { ...size, x: null, y: null, maximised: false },
  };
  for (const [name, value] of Object.entries(files))
    writeFileSync(path.join(folder, name), JSON.stringify(value));
  if (launcher.user !== null) {
    for (const place of [config, folder, ...Object.keys(files).map((name) => path.join(folder, name))])
      chownSync(place, launcher.user.uid, launcher.user.gid);
  }
  return config;
}
