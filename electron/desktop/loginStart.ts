import { problemText } from '../errors';
import type { Log } from '../storage/log';
import type { SettingsFileStore } from '../storage/settingsStore';
import type { Autostart } from './autostart';

/**
 * Keeps the system's start at login as the settings say, from now on. A person who switched it off in the desktop's
 * own settings is believed; one that is on is written anew, as the app may have moved since.
 */
export async function keepLoginStart(
  settings: SettingsFileStore,
  autostart: Autostart | null,
  log: Log,
): Promise<void> {
  if (autostart === null) return;
  const set = (on: boolean): Promise<void> =>
    autostart
      .set(on)
      .catch((error: unknown) => log.warn(`Start at login could not be set: ${problemText(error)}`));
  settings.onChange((state, before) => {
    const { startAtLogin } = state.settings;
    if (startAtLogin !== before.startAtLogin) void set(startAtLogin);
  });
  if (!settings.settings().startAtLogin) return;
  try {
    if (await autostart.isOn()) await set(true);
    else settings.change({ startAtLogin: false });
  } catch (error) {
    log.warn(`Start at login could not be read: ${problemText(error)}`);
  }
}
