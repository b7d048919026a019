import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openVirtualScreen, type Screen } from '../../build/display/open.mjs';
import { prepareLauncher, type Launcher } from '../../build/electron/launcher.mjs';
import { testPackageFolder } from '../../build/package/builder.mjs';
import { packApp } from '../../build/package/package.mjs';
import { setUpEverything } from '../../build/setup/everything.mjs';
import { run } from '../../build/tools/command.mjs';

/** The app as a person has it who unpacked the archive somewhere. */
export interface UnpackedApp {
  readonly packages: readonly { readonly name: string; readonly bytes: number }[];
  /** The one folder in the archive, unpacked to an empty place. */
  readonly folder: string;
  readonly launcher: Launcher;
  readonly screen: Screen;
  remove(): void;
}

/** Packs the app, unpacks the archive far from the checkout, and opens a screen. */
export async function unpackApp(): Promise<UnpackedApp> {
  const runtime = await setUpEverything({ virtualScreen: true });
  const packages = await packApp(['tar.gz'], testPackageFolder);
  const place = mkdtempSync(path.join(os.tmpdir(), 'headroom-packed-'));
  chmodSync(place, 0o755);
  const archive = packages.find(({ name }) => name.endsWith('.tar.gz'))?.name ?? '';
  const unpacked = await run('tar', ['-xzf', path.join(testPackageFolder, archive), '-C', place], {
    timeoutMs: 120_000,
  });
  if (unpacked.code !== 0) throw new Error(`the archive cannot be unpacked: ${unpacked.output}`);
  const folder = path.join(place, readdirSync(place).join());
  const screen = await openVirtualScreen({ width: 1280, height: 800 });
  const launcher = await prepareLauncher(runtime, screen);
  if (launcher.user !== null) allowSandbox(folder);
  return {
    packages,
    folder,
    launcher,
    screen,
    remove() {
      screen.virtual?.stop();
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** What a person does where user namespaces are switched off, and the deb does by itself. */
function allowSandbox(folder: string): void {
  const helper = path.join(folder, 'chrome-sandbox');
  chownSync(helper, 0, 0);
  chmodSync(helper, 0o4755);
}
