import { app, dialog, ipcMain, Menu, nativeTheme } from 'electron';
import os from 'node:os';
import { logCrashes } from './desktop/crashes';
import { guardApp, guardSession } from './desktop/guards';
import { readLaunchFlags } from './desktop/launchFlags';
import { MainWindow } from './desktop/mainWindow';
import { findPaths } from './desktop/paths';
import { claimSingleInstance } from './desktop/singleInstance';
import { problemText } from './errors';
import { listenForCalls } from './ipc/listen';
import { BoundsStore } from './storage/boundsStore';
import { openLog } from './storage/log';
import { SettingsFileStore } from './storage/settingsStore';

// What the window needs in order to open, and no more: everything here is waited for. The rest of the app is app.ts, which
// is loaded while Chromium starts the page's process.

const flags = readLaunchFlags(process.argv, process.env, app.isPackaged);
const development = !app.isPackaged;
app.setName('Headroom');
const paths = findPaths(app);
const log = openLog(paths.logFile, os.homedir(), development);

logCrashes(app, process, log);
guardApp(flags.enforceSandbox, log);
Menu.setApplicationMenu(null); // Else Electron makes one of its own first.

let showWindow = (): void => undefined; // Until there is a window to show.
if (claimSingleInstance(app, () => showWindow())) void start().catch(giveUp);
else app.quit();

async function start(): Promise<void> {
  const [settings, bounds] = await Promise.all([
    SettingsFileStore.open(paths.settingsFile, log),
    BoundsStore.open(paths.boundsFile, log),
    app.whenReady(),
  ]);
  if (flags.skipsSetUp) settings.assume({ firstRunDone: true });
  nativeTheme.themeSource = settings.settings().theme;
  guardSession(paths.renderer, development, log);
  const startsHidden = flags.hidden || settings.settings().startMinimised;

  // Loaded after what follows here in this same turn, so that the page's process starts meanwhile.
  const opened = import('./app').then(({ openApp }) =>
    openApp({ flags, paths, log, development, settings, bounds, window, startsHidden }),
  );
  let mayClose = (): boolean => true;
  const window = new MainWindow({
    preload: paths.preload,
    icon: paths.icon,
    title: app.getName(),
    development,
    savedBounds: bounds.saved(),
    saveBounds: (current) => bounds.save(current),
    mayClose: () => mayClose(),
    onVisible: (visible) => void opened.then(({ push }) => push.setWindowVisible(visible)),
    onLoad: () => void opened.then(({ push }) => push.setPageVisible(true)),
    onGone: (reason) => void opened.then(({ windowGone }) => windowGone(reason)),
  });
  showWindow = () => window.show();
  listenForCalls({
    port: ipcMain,
    trustedFrame: () => window.current()?.webContents.mainFrame ?? null,
    answer: async (name, argument) => (await opened).answer(name, argument),
    log,
  });
  if (!startsHidden) window.show();
  const whole = await opened;
  mayClose = whole.mayClose;
  await whole.start();
}

async function giveUp(error: unknown): Promise<void> {
  log.error('The app could not start.', error);
  const { startFailure } = await import('./desktop/startFailure');
  const { title, text } = startFailure(app.getLocale(), problemText(error));
  dialog.showErrorBox(title, text);
  app.exit(1);
}
