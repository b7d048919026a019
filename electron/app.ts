import { app, Menu, nativeTheme, shell } from 'electron';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Message } from '../shared/i18n/message';
import { translate } from '../shared/i18n/translate';
import { AlertWatch } from './alerts/alertWatch';
import { describeApp } from './desktop/appInfo';
import { autostartFor, ownStart } from './desktop/autostart';
import { CloseToTray } from './desktop/closeToTray';
import { chooseFirstScene } from './desktop/firstScene';
import { languageInUse, systemLanguage } from './desktop/language';
import type { LaunchFlags } from './desktop/launchFlags';
import { keepLoginStart } from './desktop/loginStart';
import type { MainWindow } from './desktop/mainWindow';
import { menuTemplate, type MenuActions } from './desktop/menu';
import { openOutside } from './desktop/outside';
import type { Paths } from './desktop/paths';
import { openDialogs } from './desktop/ports/openDialogs';
import { openOutlets } from './desktop/ports/openOutlets';
import { finishBeforeQuit } from './desktop/shutdown';
import { askAfterWindowFailure } from './desktop/windowFailure';
import { ownProtection } from './ending/protectedProcesses';
import { Freeing } from './ending/freeing';
import { processControl } from './ending/processControl';
import { answerWith, type Answer } from './ipc/answer';
import { allHandlers } from './ipc/handlers';
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
import type { BoundsStore } from './storage/boundsStore';
import type { Log } from './storage/log';
import { PlanStore } from './storage/planStore';
import { ReceiptStore } from './storage/receiptStore';
import type { SettingsStore } from './storage/settingsStore';

/** What main.ts has made already: all that the window needed. */
export interface Opening {
  readonly flags: LaunchFlags;
  readonly paths: Paths;
  readonly log: Log;
  readonly development: boolean;
  readonly settings: SettingsStore;
  readonly bounds: BoundsStore;
  readonly window: MainWindow;
  /** Without a window in sight: at login, or as the settings say. */
  readonly startsHidden: boolean;
}

/** What main.ts hands what happens to the window to. */
export interface WholeApp {
  readonly answer: Answer;
  readonly push: SnapshotPush;
  readonly mayClose: () => boolean;
  readonly windowGone: (reason: string) => Promise<void>;
  /** Puts the app into the tray once its window shows, and begins the life without one where it starts hidden. */
  readonly start: () => Promise<void>;
}

/** Asking whether there is a tray starts a program, which holds main up just when the first text is drawn. */
const trayAfterMs = 1_000;

// Wiring only: every part is made once, here, and handed what it needs.

export async function openApp(opening: Opening): Promise<WholeApp> {
  const { flags, paths, log, development, settings, bounds, window, startsHidden } = opening;
  log.info(`Headroom ${app.getVersion()} starts on Electron ${process.versions.electron}.`);
  const [alerts, plan, receiptStore] = await Promise.all([
    AlertStore.open(paths.alertsFile, log),
    PlanStore.open(paths.planFile, log),
    ReceiptStore.open(paths.receiptsFile, log),
  ]);
  const systemLocale = systemLanguage(app.getPreferredSystemLanguages());
  const locale = () => languageInUse(settings.settings(), systemLocale);

  const source = new AlertWatch(openSource(opening), () => settings.settings(), secondsNow, alerts);
  const dialogs = openDialogs(app.isPackaged, () => window.current());
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
    tray: outside.presence,
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
    protection: () => ownProtection(app.getAppMetrics().map(({ pid }) => pid)),
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
  const handlers = allHandlers({
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
  return {
    answer: answerWith(handlers, log),
    push,
    mayClose: () => closing.mayClose(),
    async windowGone(reason) {
      const answer = await askAfterWindowFailure(dialogs, locale(), reason);
      if (answer === 'reload') window.reload();
      else app.quit();
    },
    async start() {
      if (!startsHidden) {
        await window.firstShown();
        await delay(trayAfterMs);
        await outside.presence.start();
        return;
      }
      push.setWindowVisible(false);
      await outside.presence.start();
      // Without a tray the window is at least in the task bar.
      if (outside.presence.canHide() !== true) window.openMinimised();
    },
  };
}

function secondsNow(): number {
  return Date.now() / 1000;
}

function openSource({ flags, log, settings, window, startsHidden }: Opening): SnapshotSource {
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
    // On two processors the sampler's start and the page's would take each other's time.
    after: startsHidden ? null : window.firstShown(),
    log: (level, text) => log[level](text),
  });
}
