import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { autostartFor, ownStart, XdgAutostart, type Autostart } from '../../../../electron/desktop/autostart';
import { desktopEntry, isSwitchedOff } from '../../../../electron/desktop/desktopEntry';
import { keepLoginStart } from '../../../../electron/desktop/loginStart';
import { SettingsFileStore } from '../../../../electron/storage/settingsStore';
import { FakeLog } from '../fakes';
import { temporaryFolder } from '../sensing/support';

const entryLine = (text: string, key: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${key}=`))
    ?.slice(key.length + 1);

describe('the entry of a desktop', () => {
  it('starts the program with its arguments, without a window', () => {
    const entry = desktopEntry({ program: '/opt/Headroom/headroom', args: ['--hidden'] });
    expect(entryLine(entry, 'Exec')).toBe('/opt/Headroom/headroom --hidden');
    expect(entryLine(entry, 'TryExec')).toBe('/opt/Headroom/headroom');
    expect(entry.startsWith('[Desktop Entry]\nType=Application\n')).toBe(true);
  });

  it('quotes what a command line would cut or replace', () => {
    const entry = desktopEntry({ program: '/home/a b/$x/100%/head"room', args: [] });
    expect(entryLine(entry, 'Exec')).toBe('"/home/a b/\\\\$x/100%%/head\\\\"room"');
  });

  it('knows when the desktop switched it off', () => {
    expect(isSwitchedOff('[Desktop Entry]\nHidden=true\n')).toBe(true);
    expect(isSwitchedOff('[Desktop Entry]\nX-GNOME-Autostart-enabled=false\n')).toBe(true);
    expect(isSwitchedOff(desktopEntry({ program: '/a', args: [] }))).toBe(false);
  });
});

describe('what is started', () => {
  it('is the AppImage itself, the packaged program, or a checkout', () => {
    expect(ownStart('/tmp/.mount/headroom', { APPIMAGE: '/home/ada/Headroom.AppImage' }, null)).toEqual({
      program: '/home/ada/Headroom.AppImage',
      args: ['--hidden'],
    });
    expect(ownStart('/opt/electron', {}, '/src/headroom').args).toEqual(['/src/headroom', '--hidden']);
  });
});

describe('where it is kept', () => {
  const start = { program: '/opt/headroom', args: ['--hidden'] };
  const items: object[] = [];
  const app = {
    setLoginItemSettings: (given: object) => void items.push(given),
    getLoginItemSettings: () => ({ openAtLogin: true }) as Electron.LoginItemSettings,
  };

  it('a file in the autostart folder on Linux', async () => {
    const folder = temporaryFolder();
    const autostart = autostartFor('linux', { XDG_CONFIG_HOME: folder }, '/home/ada', app, start);
    await autostart?.set(true);
    expect(readFileSync(path.join(folder, 'autostart/headroom.desktop'), 'utf8')).toContain(
      'Exec=/opt/headroom',
    );
    expect(await autostart?.isOn()).toBe(true);
    await autostart?.set(false);
    await autostart?.set(false);
    expect(await autostart?.isOn()).toBe(false);
  });

  it('a login item with quoted arguments on Windows', async () => {
    const program = { program: 'C:\\Headroom\\headroom.exe', args: ['C:\\my app', '--hidden'] };
    const autostart = autostartFor('win32', {}, 'C:\\Users\\ada', app, program);
    await autostart?.set(true);
    expect(items).toEqual([
      { openAtLogin: true, path: 'C:\\Headroom\\headroom.exe', args: ['"C:\\my app"', '--hidden'] },
    ]);
    expect(await autostart?.isOn()).toBe(true);
  });

  it('nowhere that we know elsewhere', () =>
    expect(autostartFor('darwin', {}, '/Users/ada', app, start)).toBeNull());
});

describe('the setting and the system', () => {
  async function setUp(startAtLogin: boolean, entry: string | null) {
    const folder = temporaryFolder();
    const file = path.join(folder, 'headroom.desktop');
    if (entry !== null) writeFileSync(file, entry);
    const settings = await SettingsFileStore.open(path.join(folder, 'settings.json'), new FakeLog());
    settings.change({ startAtLogin });
    await keepLoginStart(
      settings,
      new XdgAutostart(file, { program: '/new/place', args: [] }),
      new FakeLog(),
    );
    return { file, settings };
  }

  it('writes the entry anew at each start, as the app may have moved', async () => {
    const { file } = await setUp(true, desktopEntry({ program: '/old/place', args: [] }));
    expect(readFileSync(file, 'utf8')).toContain('Exec=/new/place');
  });

  it('believes a person who removed it in the desktop’s own settings', async () => {
    const { file, settings } = await setUp(true, null);
    expect([existsSync(file), settings.settings().startAtLogin]).toEqual([false, false]);
  });

  it('leaves an entry alone that was never ours to keep', async () => {
    const { file } = await setUp(false, 'Hidden=true');
    expect(readFileSync(file, 'utf8')).toBe('Hidden=true');
  });

  it('a refusal of the system is written to the log', async () => {
    const settings = await SettingsFileStore.open(
      path.join(temporaryFolder(), 'settings.json'),
      new FakeLog(),
    );
    const log = new FakeLog();
    const refusing: Autostart = {
      set: () => Promise.reject(new Error('EROFS')),
      isOn: () => Promise.resolve(true),
    };
    settings.change({ startAtLogin: true });
    await keepLoginStart(settings, refusing, log);
    expect(log.lines).toEqual(['warn Start at login could not be set: EROFS']);
  });
});
