import { app, dialog, ipcMain, Menu, nativeTheme, shell } from 'electron';
import os from 'node:os';
import { message, type Message } from '../shared/i18n/message';
import { translate } from '../shared/i18n/translate';
import { AlertWatch } from './alerts/alertWatch';
import { describeApp } from './desktop/appInfo';
import { autostartFor, ownStart } from './desktop/autostart';
import { CloseToTray } from './desktop/closeToTray';
import { logCrashes } from './desktop/crashes';
import { chooseFirstScene } from './desktop/firstScene';
import { guardApp, guardSession } from './desktop/guards';
import { languageInUse, systemLanguage } from './desktop/language';
import { readLaunchFlags } from './desktop/launchFlags';
import { keepLoginStart } from './desktop/loginStart';
import { MainWindow } from './desktop/mainWindow';
import { menuTemplate, type MenuActions } from './desktop/menu';
import { openOutside } from './desktop/outside';
import { findPaths } from './desktop/paths';
import { openDialogs } from './desktop/ports/openDialogs';
import { openOutlets } from './desktop/ports/openOutlets';
import { finishBeforeQuit } from './desktop/shutdown';
import { claimSingleInstance } from './desktop/singleInstance';
import { askAfterWindowFailure } from './desktop/windowFailure';
import { ownAsker } from './ending/asker';
import { Freeing } from './ending/freeing';
import { processControl } from './ending/processControl';
import { allHandlers } from './ipc/handlers';
import { registerCalls } from './ipc/register';
import { sendTo } from './ipc/send';
import { SnapshotPush } from './ipc/snapshotPush';
import { LazyMeasuring } from './measure/lazyMeasuring';
import { ReceiptBook } from './receipts/receiptBook';
import { readPlanFile, readRankLogs, savedPlanAmong } from './receipts/runFolder';
import { findNvidiaSmi } from './sensing/findNvidiaSmi';
import type { SnapshotSource } from './sensing/source';
import { startSnapshotSource } from './sensing/startSnapshotSource';
import { topologyLinks } from './sensing/topology';
import { findScene, sceneSummaries } from './simulation/scenes';
import { AlertStore } from './storage/alertStore';
import { BoundsStore } from './storage/boundsStore';
import { problemText } from './storage/jsonFile';
import { openLog } from './storage/log';
import { PlanStore } from './storage/planStore';
import { ReceiptStore } from './storage/receiptStore';
import { SettingsStore } from './storage/settingsStore';

// Wiring only: every part is made once, here, and handed what it needs.

const flags = readLaunchFlags(process.argv, process.env, app.isPackaged);
const development = !app.isPackaged;
app.setName('Headroom');
const paths = findPaths(app);
const log = openLog(paths.logFile, os.homedir(), development);

logCrashes(app, process, log);
guardApp(flags.enforceSandbox, log);

let showWindow = (): void => undefined; // Until there is a window to show.
if (claimSingleInstance(app, () => showWindow())) void start().catch(giveUp);
else app.quit();

async function start(): Promise<void> {
  const [settings, bounds, alerts, plan, receiptStore] = await Promise.all([
    SettingsStore.open(paths.settingsFile, log),
    BoundsStore.open(paths.boundsFile, log),
    AlertStore.open(paths.alertsFile, log),
    PlanStore.open(paths.planFile, log),
    ReceiptStore.open(paths.receiptsFile, log),
    app.whenReady(),
  ]);
  log.info(`Headroom ${app.getVersion()} starts on Electron ${process.versions.electron}.`);
  if (flags.skipsSetUp) settings.assume({ firstRunDone: true });
  guardSession(paths.renderer, development, log);
  nativeTheme.themeSource = settings.settings().theme;
  const systemLocale = systemLanguage(app.getPreferredSystemLanguages());
  const locale = () => languageInUse(settings.settings(), systemLocale);

  const source = new AlertWatch(openSource(settings), () => settings.settings(), secondsNow, alerts);
  const dialogs = openDialogs(app.isPackaged, () => window.current());
  const window = new MainWindow({
    preload: paths.preload,
    icon: paths.icon,
    title: app.getName(),
    development,
    savedBounds: bounds.saved(),
    saveBounds: (current) => bounds.save(current),
    mayClose: () => closing.mayClose(),
    onVisible: (visible) => push.setWindowVisible(visible),
    onLoad: () => push.setPageVisible(true),
    onGone: async (reason) => {
      const answer = await askAfterWindowFailure(dialogs, locale(), reason);
      if (answer === 'reload') window.reload();
      else app.quit();
    },
  });
  const send = sendTo(() => window.current()?.webContents ?? null);
  const push = new SnapshotPush(source, send);

  const words = (text: Message) => translate(locale(), text);
  const autostart = autostartFor(
    process.platform,
    process.env,
    os.homedir(),
    app,
    ownStart(process.execPath, process.env, development ? app.getAppPath() : null),
  );
  const outside = openOutside({
    watch: source,
    settings,
    outlets: openOutlets(app.isPackaged),
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
    canHide: () => outside.presence.canHide(),
    hide: () => window.hide(),
    quit: () => app.quit(),
  });
  app.on('before-quit', () => closing.quitBegins());
  source.onChange((state) => send('alerts', state));
  void keepLoginStart(settings, autostart, log);

  const receipts = new ReceiptBook({
    store: receiptStore,
    readPlan: readPlanFile,
    readLogs: readRankLogs,
    clock: secondsNow,
    onChange: (state) => send('receipts', state),
  });
  source.subscribe((snapshot) => receipts.take(snapshot));

  const measuring = new LazyMeasuring({
    pythonPath: () => settings.settings().pythonPath,
    savePythonPath: (file) => settings.change({ pythonPath: file }),
    isReadOnly: () => settings.settings().readOnly,
    latest: () => source.latest(),
    dialogs,
    locale,
    platform: process.platform,
    appVersion: app.getVersion(),
    temporaryFolder: os.tmpdir(),
    environment: process.env,
    readLogs: readRankLogs,
    keep: (...found) => receipts.addMeasured(...found),
    remember: (saved) => receipts.remember(saved),
    clock: secondsNow,
    log,
    onChange: (state) => send('measure', state),
  });

  const freeing = new Freeing({
    latest: () => source.latest(),
    isReadOnly: () => settings.settings().readOnly,
    asker: () => ownAsker(app.getAppMetrics().map(({ pid }) => pid)),
    processes: processControl,
    dialogs,
    locale,
    log,
    onProgress: (news) => send('ending', news),
    onEnding: (job, pids) => {
      source.endedByHeadroom(pids);
      source.markKilled(job.id);
      receipts.freed(job.id);
    },
  });

  const readLinks = () =>
    source.latest()?.source.kind === 'machine'
      ? topologyLinks(new AbortController().signal, settings.settings().nvidiaSmiPath)
      : Promise.resolve([]);
  const openLogFolder = async () => {
    const problem = await shell.openPath(paths.logFolder);
    if (problem !== '') log.warn(`The folder of the log could not be opened: ${problem}`);
    return problem;
  };
  registerCalls({
    port: ipcMain,
    trustedFrame: () => window.current()?.webContents.mainFrame ?? null,
    log,
    handlers: allHandlers({
      source,
      push,
      watch: source,
      freeing,
      desktopState: () => outside.desktopState(),
      scenes: sceneSummaries,
      settings,
      dialogs,
      plan,
      receipts,
      measuring,
      onSaved: (files) => {
        const saved = savedPlanAmong(files);
        if (saved !== null) receipts.remember(saved);
      },
      homeFolder: os.homedir(),
      readLinks,
      locale,
      platform: process.platform,
      info: describeApp(app.getVersion(), process, systemLocale, flags.enforceSandbox),
      log,
      openLogFolder,
    }),
  });

  const setMenu = () => {
    const actions: MenuActions = {
      go: (destination) => send('navigate', destination),
      command: (command) => send('command', command),
      openLogs: () => void openLogFolder(),
      quit: () => app.quit(),
    };
    Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(locale(), actions, development)));
  };
  setMenu();

  settings.onChange((state, before) => {
    const now = state.settings;
    nativeTheme.themeSource = now.theme;
    if (now.language !== before.language) setMenu();
    if (now.intervalSeconds !== before.intervalSeconds || now.nvidiaSmiPath !== before.nvidiaSmiPath)
      source.configure(now);
    send('settings', state);
  });

  app.on('window-all-closed', () => app.quit());
  const end = () => {
    outside.dispose();
    return source.dispose();
  };
  finishBeforeQuit(
    app,
    [
      () => measuring.dispose(),
      end,
      () => settings.flush(),
      () => bounds.flush(),
      () => alerts.flush(),
      () => plan.flush(),
      () => receipts.flush(),
    ],
    log,
  );
  showWindow = () => window.show();
  if (!flags.hidden && !settings.settings().startMinimised) {
    window.show();
    await outside.presence.start();
    return;
  }
  push.setWindowVisible(false);
  await outside.presence.start();
  // Without a tray the window is at least in the task bar.
  if (!outside.presence.canHide()) window.openMinimised();
}

function secondsNow(): number {
  return Date.now() / 1000;
}

function openSource(settings: SettingsStore): SnapshotSource {
  const { simulateScene, intervalSeconds, nvidiaSmiPath } = settings.settings();
  const sceneId = chooseFirstScene({
    fromEnvironment: flags.sceneId,
    fromSettings: simulateScene,
    nvidiaSmiFound: findNvidiaSmi(nvidiaSmiPath) !== null,
    isScene: (id) => findScene(id) !== null,
  });
  return startSnapshotSource({
    sceneId,
    sceneSpeed: flags.sceneSpeed,
    intervalSeconds,
    nvidiaSmiPath,
    log: (level, text) => log[level](text),
  });
}

function giveUp(error: unknown): void {
  log.error('The app could not start.', error);
  const words = (text: Message) => translate(systemLanguage([app.getLocale()]), text);
  const problem = problemText(error);
  dialog.showErrorBox(
    words(message('desktop.startFailedTitle')),
    words(message('desktop.startFailedText', { problem })),
  );
  app.exit(1);
}
