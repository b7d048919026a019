import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { waitForPicture } from '../../build/display/screenshot.mjs';
import { environmentOf } from '../../build/electron/environment.mjs';
import { run } from '../../build/tools/command.mjs';
import { root } from '../../build/tools/paths.mjs';
import { endGroup } from '../e2e/harness/endGroup';
import { createUserData } from '../e2e/harness/userData';
import { filesInAsar } from './asar';
import { readFuses } from './fuses';
import { unpackApp, type UnpackedApp } from './unpackedApp';

let app: UnpackedApp;

beforeAll(async () => {
  app = await unpackApp();
});
afterAll(() => app.remove());

test('the package holds the app, Electron and two languages, and nothing of the checkout', () => {
  const names = filesInAsar(path.join(app.folder, 'resources/app.asar')).map((name) =>
    name.replace(/-[\w-]{8}\.(js|css|woff2)$/, '-HASH.$1'),
  );
  expect(names.filter((name) => !name.startsWith('dist/renderer/assets/')).sort()).toEqual([
    'LICENSE',
    'dist/THIRD-PARTY.txt',
    'dist/build.json',
    'dist/cli.cjs',
    'dist/icon.png',
    'dist/main.cjs',
    'dist/nvidiaSmi.cjs',
    'dist/preload.cjs',
    'dist/renderer/index.html',
    'dist/samplerProcess.cjs',
    'package.json',
  ]);
  const assets = names.filter((name) => name.startsWith('dist/renderer/assets/'));
  expect(assets.filter((name) => !/-HASH\.(js|css)$/.test(name))).toEqual([
    'dist/renderer/assets/inter-latin-wght-normal-HASH.woff2',
  ]);
  expect(assets).toContain('dist/renderer/assets/index-HASH.css');
  expect(readdirSync(path.join(app.folder, 'resources'))).toEqual(['app.asar']);
  expect(readdirSync(path.join(app.folder, 'locales')).sort()).toEqual(['en-US.pak', 'zh-CN.pak']);
  expect(readdirSync(app.folder)).toEqual(expect.arrayContaining(['headroom', 'headroom-app']));
});

test('the package is not larger than Electron makes it', () => {
  const archive = app.packages.find(({ name }) => name.endsWith('.tar.gz'));
  expect(archive?.bytes).toBeGreaterThan(50 * 2 ** 20);
  expect(archive?.bytes).toBeLessThan(150 * 2 ** 20);
  expect(statSync(path.join(app.folder, 'resources/app.asar')).size).toBeLessThan(10 * 2 ** 20);
});

test('the command runs from anywhere, also through a link, and plays a scene with the stand-in nvidia-smi', async () => {
  const link = path.join(path.dirname(app.folder), 'link');
  await symlink(path.join(app.folder, 'headroom'), link);
  const env = { PATH: process.env['PATH'], HOME: path.dirname(app.folder) };
  const model = await run(link, ['model', 'llama-2-13b', '--json'], { cwd: '/', env, timeoutMs: 60_000 });
  expect(JSON.parse(model.output)).toMatchObject({ id: 'llama-2-13b', parameters: 13_015_864_320 });

  const watch = await run(link, ['watch', '--once', '--json', '--simulate', 'eight-healthy'], {
    cwd: '/',
    env,
    timeoutMs: 60_000,
  });
  const snapshot: unknown = JSON.parse(watch.output.trim().split('\n').at(-1) ?? '');
  expect(snapshot).toMatchObject({ cards: { length: 8 }, problems: [] });

  const wrong = await run(link, ['plan'], { cwd: '/', env, timeoutMs: 60_000 });
  expect(wrong.code).toBe(2);
});

test('what would let others into the program is switched off; it still runs as Node, for the command', () => {
  expect(readFuses(path.join(app.folder, 'headroom-app'))).toEqual({
    runAsNode: 'on',
    cookieEncryption: 'on',
    nodeOptionsEnvironmentVariable: 'off',
    nodeCliInspectArguments: 'off',
    onlyLoadAppFromAsar: 'on',
  });
});

test('the app starts, shows its window and writes no error', async () => {
  const { launcher, screen } = app;
  if (screen.virtual === null) throw new Error('packages are tried on a virtual screen');
  const userData = createUserData(launcher, {
    settings: { firstRunDone: true, language: 'en', theme: 'light' },
    size: { width: 1280, height: 800 },
    files: {},
  });
  const program = start({ ...userData.env, HEADROOM_SCENE: 'two-3090-oom' });
  onTestFinished(async () => {
    await end(program);
    userData.remove();
  });
  const stopped = new AbortController();
  const outcome = await Promise.race([
    waitForPicture(screen.virtual, path.join(root, 'screenshots/packed.png'), stopped.signal),
    once(program, 'exit').then(() => 'ended'),
  ]);
  stopped.abort();
  expect(outcome).toBe('drawn');
  const log = readFileSync(path.join(userData.folder, 'logs/headroom.log'), 'utf8');
  expect(log).toMatch(/Headroom \d+\.\d+\.\d+ starts on Electron/);
  // A busy machine may say that something is late.
  const isLate = /is silent|does not answer|timeout/;
  expect(log.split('\n').filter((line) => /error|warn/i.test(line) && !isLate.test(line))).toEqual([]);
});

/** Starts the unpacked program with the sandbox on, as the user that this machine's launcher chose. */
function start(env: Readonly<Record<string, string>>): ChildProcess {
  const { launcher } = app;
  const executable = path.join(app.folder, 'headroom-app');
  const flags = launcher.flags.filter((flag) => flag !== '--no-sandbox');
  const command =
    launcher.user === null
      ? [executable, ...flags]
      : [
          ...[
            'setpriv',
            '--reuid',
            `${launcher.user.uid}`,
            '--regid',
            `${launcher.user.gid}`,
            '--clear-groups',
          ],
          ...['--', executable, ...flags],
        ];
  return spawn(command[0] ?? '', command.slice(1), {
    cwd: '/',
    env: environmentOf(launcher, env),
    detached: true,
    stdio: 'ignore',
  });
}

async function end(program: ChildProcess): Promise<void> {
  if (program.pid === undefined) return;
  if (program.exitCode === null && program.signalCode === null) {
    program.kill('SIGTERM');
    await Promise.race([once(program, 'exit'), new Promise((resolve) => setTimeout(resolve, 5_000))]);
  }
  endGroup(program.pid);
}
