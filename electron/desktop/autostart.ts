/** Starting with the person's session: an entry in XDG's autostart folder, or a login item of Windows. */
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { App } from 'electron';
import { errorCode } from '../errors';
import { writeNew } from '../storage/safeWrite';
import { readWhole } from '../storage/boundedFile';
import { desktopEntry, isSwitchedOff } from './desktopEntry';

/** What is started: a program and its arguments. */
export interface Start {
  readonly program: string;
  readonly args: readonly string[];
}

export interface Autostart {
  /** Makes the system start the app at login, or no longer. Rejects with the system's reason. */
  set(on: boolean): Promise<void>;
  /** Whether the system will; a person may have changed it in the desktop's own settings. */
  isOn(): Promise<boolean>;
}

/** Asks for no window at login. */
const hiddenFlag = '--hidden';

/** The way of this system, or null where there is none that we know. */
export function autostartFor(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
  app: Pick<App, 'setLoginItemSettings' | 'getLoginItemSettings'>,
  start: Start,
): Autostart | null {
  switch (platform) {
    case 'linux': {
      const config = environment['XDG_CONFIG_HOME'] ?? path.join(home, '.config');
      return new XdgAutostart(path.join(config, 'autostart', 'headroom.desktop'), start);
    }
    case 'win32':
      return new WindowsAutostart(app, start);
    default:
      return null;
  }
}

/** What starts this very app again: an AppImage by its own file, a checkout with its folder. */
export function ownStart(
  executable: string,
  environment: Readonly<Record<string, string | undefined>>,
  appFolder: string | null,
): Start {
  const program = environment['APPIMAGE'] ?? executable;
  return { program, args: [...(appFolder === null ? [] : [appFolder]), hiddenFlag] };
}

/** A desktop entry with its name in every language has some ten thousand. */
const mostEntryBytes = 1024 * 1024;

/** https://specifications.freedesktop.org/autostart/latest */
export class XdgAutostart implements Autostart {
  constructor(
    private readonly file: string,
    private readonly start: Start,
  ) {}

  async set(on: boolean): Promise<void> {
    if (!on) {
      await rm(this.file, { force: true });
      return;
    }
    await mkdir(path.dirname(this.file), { recursive: true });
    await writeNew(this.file, desktopEntry(this.start), { mode: 0o644, replace: true });
  }

  async isOn(): Promise<boolean> {
    try {
      const entry = await readWhole(this.file, mostEntryBytes);
      return entry === null || !isSwitchedOff(entry.toString('utf8'));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }
}

/** Read back with the same path and arguments, or Windows answers for another entry. */
class WindowsAutostart implements Autostart {
  constructor(
    private readonly app: Pick<App, 'setLoginItemSettings' | 'getLoginItemSettings'>,
    private readonly start: Start,
  ) {}

  async set(on: boolean): Promise<void> {
    const { program, args } = this.start;
    this.app.setLoginItemSettings({ openAtLogin: on, path: program, args: args.map(quoted) });
  }

  async isOn(): Promise<boolean> {
    const { program, args } = this.start;
    return this.app.getLoginItemSettings({ path: program, args: args.map(quoted) }).openAtLogin;
  }
}

function quoted(word: string): string {
  return /\s/.test(word) ? `"${word}"` : word;
}
