import { describe, expect, it } from 'vitest';
import { findTrayHost, readAnswer } from '../../../../../electron/desktop/tray/host';
import { nodeProgram } from '../../sensing/support';

describe('the answer of the session’s bus', () => {
  it('a host that draws icons', () => expect(readAnswer(0, '(<true>,)\n')).toBe('present'));
  it('a watcher without a host', () => expect(readAnswer(0, '(<false>,)\n')).toBe('absent'));
  it('no watcher at all, as on stock GNOME', () =>
    expect(
      readAnswer(
        1,
        'Error: GDBus.Error:org.freedesktop.DBus.Error.ServiceUnknown: The name org.kde.StatusNotifierWatcher was not provided by any .service files\n',
      ),
    ).toBe('absent'));
  it('no bus to ask', () =>
    expect(readAnswer(1, 'Error connecting: Cannot autolaunch D-Bus without X11 $DISPLAY\n')).toBe(
      'unknown',
    ));
});

describe('asking', () => {
  it('is not needed on Windows', async () => expect(await findTrayHost('win32')).toBe('present'));

  it('hands the program an argument array and reads what it prints', async () => {
    const program = nodeProgram(
      "console.log(process.argv.includes('IsStatusNotifierHostRegistered') ? '(<true>,)' : process.argv.join())",
    );
    expect(await findTrayHost('linux', program)).toBe('present');
  });

  it('knows nothing where the program is not there', async () => {
    const missing = { command: '/nowhere/gdbus', leadingArguments: [], environment: {} };
    expect(await findTrayHost('linux', missing)).toBe('unknown');
  });

  it('gives up after two seconds', async () => {
    // It would never end by itself.
    expect(await findTrayHost('linux', nodeProgram('setInterval(() => undefined, 1000)'))).toBe('unknown');
  });
});
