import { app, dialog, ipcMain, Menu, nativeTheme, protocol, session, shell } from 'electron';
import os from 'node:os';
import type { Place } from '../shared/contract/places';
import { message } from '../shared/i18n/message';
import { nearestLocale, translate, type Locale } from '../shared/i18n/translate';
import { describeApp } from './desktop/appInfo';
import { isTestBuild } from './desktop/buildKind';
import { logCrashes } from './desktop/crashes';
import { chooseFirstScene } from './desktop/firstScene';
import { readLaunchFlags } from './desktop/launchFlags';
import { MainWindow } from './desktop/mainWindow';
import { menuTemplate } from './desktop/menu';
import { denyWandering } from './desktop/navigation';
import { findPaths } from './desktop/paths';
import { denyPermissions } from './desktop/permissions';
import { nativeDialogs } from './desktop/ports/nativeDialogs';
import { ScriptedDialogs } from './desktop/ports/scriptedDialogs';
import { schemePrivileges, serveRenderer } from './desktop/protocol';
import { blockForeignRequests } from './desktop/requests';
import { finishBeforeQuit } from './desktop/shutdown';
import { claimSingleInstance } from './desktop/singleInstance';
import { allHandlers } from './ipc/handlers';
import { registerCalls } from './ipc/register';
import { sendTo } from './ipc/send';
import { SnapshotPush } from './ipc/snapshotPush';
import { findNvidiaSmi, startSnapshotSource } from './noSource';
import { sceneSummaries } from './simulation/scenes';
import { readBounds, writeBounds } from './storage/boundsStore';
import { openLog } from './storage/log';
import { SettingsStore } from './storage/settingsStore';

/**
 * Wiring only: what must be said before Electron is ready, then every part made once and handed what it needs.
 */
const flags = readLaunchFlags(process.argv, process.env, app.isPackaged);
const development = !app.isPackaged;

app.setName('Headroom');
// GTK 4 in one process with the GTK 3 of a tray library ends it (electron/electron#46538).
app.commandLine.appendSwitch('gtk-version', '3');
// The app asks nothing of any network. Name look-ups that pass no request filter (prefetches) find nothing either.
app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND');
if (flags.enforceSandbox) app.enableSandbox();
protocol.registerSchemesAsPrivileged([schemePrivileges]);

const paths = findPaths(app);
const log = openLog(paths.logFile, os.homedir(), development);
logCrashes(app, process, log);

let showWindow = (): void => undefined;
if (claimSingleInstance(app, () => showWindow())) {
  app.on('web-contents-created', (_event, contents) => denyWandering(contents, log));
  app.on('window-all-closed', () => app.quit());
  start().catch((error: unknown) => {
    log.error('The app could not start.', error);
    dialog.showErrorBox('Headroom', error instanceof Error ? error.message : String(error));
    app.exit(1);
  });
} else {
  app.quit();
}

async function start(): Promise<void> {
  const [settings, savedBounds] = await Promise.all([
    SettingsStore.open(paths.settingsFile, log),
    readBounds(paths.boundsFile),
    app.whenReady(),
  ]);
  const systemLocale = nearestLocale(app.getPreferredSystemLanguages()[0] ?? app.getLocale());
  const locale = (): Locale => {
    const { language } = settings.settings();
    return language === 'system' ? systemLocale : language;
  };
  nativeTheme.themeSource = settings.settings().theme;

  denyPermissions(session.defaultSession);
  blockForeignRequests(session.defaultSession, development, log);
  serveRenderer(protocol, paths.renderer, log);

  const dialogs = isTestBuild(app.isPackaged) ? new ScriptedDialogs() : nativeDialogs(() => window.current());
  if (dialogs instanceof ScriptedDialogs) Object.assign(globalThis, { headroomDialogs: dialogs });

  const source = startSnapshotSource({
    sceneId: chooseFirstScene({
      fromEnvironment: flags.sceneId,
      fromSettings: settings.settings().simulateScene,
      nvidiaSmiFound: (await findNvidiaSmi(settings.settings().nvidiaSmiPath)) !== null,
      sceneIds: sceneSummaries.map((scene) => scene.id),
    }),
    intervalSeconds: settings.settings().intervalSeconds,
    nvidiaSmiPath: settings.settings().nvidiaSmiPath,
    log: (level, text) => log[level](text),
  });

  let writingBounds = Promise.resolve();
  const window = new MainWindow({
    preload: paths.preload,
    icon: null,
    title: 'Headroom',
    development,
    savedBounds,
    saveBounds: (bounds) => {
      writingBounds = writingBounds.then(() => writeBounds(paths.boundsFile, bounds, log));
    },
    onVisible: (visible) => push.setWindowVisible(visible),
    onLoad: () => push.setPageVisible(false),
    onGone: (reason) => void offerReload(reason),
  });
  const send = sendTo(() => window.current()?.webContents ?? null);
  const push = new SnapshotPush(source, send);

  const openLogFolder = (): Promise<string> => shell.openPath(paths.logFolder);
  registerCalls({
    port: ipcMain,
    trustedFrame: () => window.current()?.webContents.mainFrame ?? null,
    log,
    handlers: allHandlers({
      source,
      push,
      scenes: sceneSummaries,
      settings,
      dialogs,
      locale,
      platform: process.platform,
      info: describeApp(
        { version: app.getVersion(), platform: process.platform, versions: process.versions },
        systemLocale,
        flags.enforceSandbox,
      ),
      log,
      openLogFolder,
      openUrl: (url) => shell.openExternal(url),
    }),
  });

  const setMenu = (): void =>
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(
        menuTemplate(
          locale(),
          {
            go: (place: Place) => send('navigate', { place, gpuIndex: null, jobId: null }),
            command: (command) => send('command', command),
            openLogs: () => void openLogFolder(),
            quit: () => app.quit(),
          },
          development,
        ),
      ),
    );
  setMenu();

  settings.onChange((state, before) => {
    const now = state.settings;
    nativeTheme.themeSource = now.theme;
    if (now.language !== before.language) setMenu();
    source.configure({ intervalSeconds: now.intervalSeconds, nvidiaSmiPath: now.nvidiaSmiPath });
    send('settings', state);
  });

  async function offerReload(reason: string): Promise<void> {
    const words = (text: Parameters<typeof translate>[1]): string => translate(locale(), text);
    const answer = await dialogs.ask({
      id: 'window-failed',
      severity: 'error',
      title: words(message('desktop.windowFailedTitle')),
      text: words(message('desktop.windowFailedText', { reason })),
      detail: null,
      buttons: [
        { id: 'reload', label: words(message('desktop.windowFailedReload')) },
        { id: 'quit', label: words(message('desktop.menuQuit')) },
      ],
      safeButtonId: 'reload',
    });
    if (answer === 'reload') window.reload();
    else app.quit();
  }

  finishBeforeQuit(app, [() => source.dispose(), () => settings.flush(), () => writingBounds], log);
  showWindow = () => window.show();
  window.show();
}
