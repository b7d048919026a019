import { app, Menu, nativeTheme, shell } from 'electron';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { autostartFor, ownStart } from '../desktop/autostart';
import { CloseToTray } from '../desktop/closeToTray';
import { openDesktopIntegration, type DesktopIntegration } from '../desktop/desktopIntegration';
import { keepLoginStart } from '../desktop/loginStart';
import { menuTemplate } from '../desktop/menu';
import type { Dialogs } from '../desktop/ports/dialogs';
import { openDesktopPorts } from '../desktop/ports/openDesktopPorts';
import type { Surroundings } from './surroundings';
import type { OpenReadings } from './openReadings';

/** Asking whether there is a tray starts a program, which holds main up just when the first text is drawn. */
const trayAfterMs = 1_000;

/** Menu, tray, notifications, start at login, and what closing the window does. */
export interface Desktop {
  readonly integration: DesktopIntegration;
  readonly closing: CloseToTray;
  /** Opens the folder of the log; resolves with what went wrong, '' where nothing did. */
  readonly openLogFolder: () => Promise<string>;
  /** Puts the app into the tray once its window shows, and begins the life without one where it starts hidden. */
  readonly start: () => Promise<void>;
}

export function openDesktop(surroundings: Surroundings, readings: OpenReadings, dialogs: Dialogs): Desktop {
  const { log, paths, settings, window, send, words, locale, development } = surroundings;
  const autostart = autostartFor(
    process.platform,
    process.env,
    os.homedir(),
    app,
    ownStart(process.execPath, process.env, development ? app.getAppPath() : null),
  );
  void keepLoginStart(settings, autostart, log);
  const integration = openDesktopIntegration({
    watch: readings.source,
    settings,
    ports: openDesktopPorts(app.isPackaged),
    locale,
    platform: process.platform,
    canStartAtLogin: autostart !== null,
    isWatching: () => window.isFocused(),
    showWindow: () => window.show(),
    go: (destination) => window.onceLoaded(() => send('navigate', destination)),
    quit: () => app.quit(),
    onDesktop: (state) => send('desktop', state),
  });
  const closing = new CloseToTray({
    settings,
    dialogs,
    words,
    tray: integration.presence,
    hide: () => window.hide(),
    quit: () => app.quit(),
  });
  app.on('before-quit', () => closing.quitBegins());

  const openLogFolder = async (): Promise<string> => {
    const problem = await shell.openPath(paths.logFolder);
    if (problem !== '') log.warn(`The folder of the log could not be opened: ${problem}`);
    return problem;
  };
  const setMenu = (): void => {
    const template = menuTemplate(
      locale(),
      {
        go: (destination) => send('navigate', destination),
        command: (command) => send('command', command),
        openLogs: () => void openLogFolder(),
        quit: () => app.quit(),
      },
      development,
    );
    Menu.setApplicationMenu(Menu.buildFromTemplate(template));
  };
  setMenu();
  settings.onChange(({ settings: now }, before) => {
    nativeTheme.themeSource = now.theme;
    if (now.language !== before.language) setMenu();
  });
  return { integration, closing, openLogFolder, start: () => start(surroundings, readings, integration) };
}

async function start(
  { startsHidden, window }: Surroundings,
  { push }: OpenReadings,
  { presence }: DesktopIntegration,
): Promise<void> {
  if (!startsHidden) {
    await window.firstShown();
    await delay(trayAfterMs);
    await presence.start();
    return;
  }
  push.setWindowVisible(false);
  await presence.start();
  // Without a tray the window is at least in the task bar.
  if (presence.canHide() !== true) window.openMinimised();
}
