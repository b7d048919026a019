import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Launcher } from '../../../build/electron/launcher.mjs';
import { defaultSettings } from '../../../shared/contract/defaultSettings';
import type { Settings } from '../../../shared/contract/settings';

/** A folder of its own for one start of the app, with nothing of the person who runs the tests. */
export interface UserData {
  /** Where the app keeps settings.json, window.json and logs/. */
  readonly folder: string;
  /** Makes the app use it. */
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

export interface FirstState {
  readonly settings: Partial<Settings>;
  readonly size: { readonly width: number; readonly height: number };
  /** Files to be there instead, by name, as they are: what a damaged file does can be tried. */
  readonly files: Readonly<Record<string, string>>;
}

/** Writes what the app finds at its start. The files belong to the user that the app runs as. */
export function createUserData(launcher: Launcher, state: FirstState): UserData {
  const base = mkdtempSync(path.join(os.tmpdir(), 'headroom-e2e-'));
  const folder = path.join(base, 'Headroom');
  mkdirSync(folder);
  const settings: Settings = { ...defaultSettings, ...state.settings };
  const bounds = { ...state.size, x: null, y: null, maximised: false };
  const files: Readonly<Record<string, string>> = {
    'settings.json': JSON.stringify(settings),
    'window.json': JSON.stringify(bounds),
    ...state.files,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  if (launcher.user !== null) {
    const { uid, gid } = launcher.user;
    const owned = [base, folder, ...Object.keys(files).map((name) => path.join(folder, name))];
    for (const place of owned) chownSync(place, uid, gid);
  }
  // The variables from which Electron makes its user data folder: Linux, Windows.
  return {
    folder,
    env: { XDG_CONFIG_HOME: base, APPDATA: base },
    // The last process that wrote there may not be quite gone.
    remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  };
}
