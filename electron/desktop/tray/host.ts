/** Whether the desktop shows tray icons: some, stock GNOME among them, show none, and never say so. */
import type { TrayHost } from '../../../shared/contract/desktopState';
import { runOnce } from '../../programs/runOnce';
import type { ProgramCall } from '../../programs/programCall';

const limits = { timeoutMs: 2000, maxBytes: 64 * 1024 };
const watcher = 'org.kde.StatusNotifierWatcher';

/** GLib's tool that speaks to the session's bus. */
const gdbus: ProgramCall = { command: 'gdbus', leadingArguments: [], environment: {} };

/**
 * Asks the watcher of tray icons on the session's bus whether anybody draws them
 * (https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem/StatusNotifierWatcher/). Windows and macOS always
 * have a tray. `unknown`: nobody could be asked (no gdbus, no bus, no answer in two seconds). Never rejects.
 */
export async function findTrayHost(platform: NodeJS.Platform, call: ProgramCall = gdbus): Promise<TrayHost> {
  if (platform !== 'linux') return 'present';
  const result = await runOnce(
    call,
    [
      ...[
        'call',
        '--session',
        '--timeout',
        '2',
        '--dest',
        watcher,
        '--object-path',
        '/StatusNotifierWatcher',
      ],
      ...['--method', 'org.freedesktop.DBus.Properties.Get', watcher, 'IsStatusNotifierHostRegistered'],
    ],
    limits,
  );
  return result.kind === 'ended' ? readAnswer(result.exitCode, result.text) : 'unknown';
}

/** What gdbus printed: `(<true>,)`, or that there is no watcher of that name, which means that there is no tray. */
export function readAnswer(exitCode: number | null, text: string): TrayHost {
  if (exitCode === 0) return text.includes('<true>') ? 'present' : 'absent';
  return /ServiceUnknown|NameHasNoOwner|was not provided by any/.test(text) ? 'absent' : 'unknown';
}
