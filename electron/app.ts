import { app } from 'electron';
import os from 'node:os';
import { openDesktop } from './compositions/openDesktop';
import { openJobs } from './compositions/openJobs';
import { surroundingsOf, type Opening } from './compositions/surroundings';
import { openReadings } from './compositions/openReadings';
import { describeApp } from './desktop/appInfo';
import { systemLanguage } from './desktop/language';
import { openDialogs } from './desktop/ports/openDialogs';
import { finishBeforeQuit } from './desktop/shutdown';
import { askAfterWindowFailure } from './desktop/windowFailure';
import { answerWith, type Answer } from './ipc/answer';
import { allHandlers } from './ipc/handlers';
import type { SnapshotPush } from './ipc/snapshotPush';
import { savedPlanAmong } from './receipts/runFolder';
import { topologyLinks } from './sensing/topology';
import { sceneSummaries } from './simulation/scenes';
import { AlertStore } from './storage/alertStore';
import { PlanFileStore } from './storage/planStore';
import { ReceiptStore } from './storage/receiptStore';

/** What main.ts hands what happens to the window to. */
export interface WholeApp {
  readonly answer: Answer;
  readonly push: SnapshotPush;
  readonly mayClose: () => boolean;
  readonly windowGone: (reason: string) => Promise<void>;
  /** Puts the app into the tray once its window shows, and begins the life without one where it starts hidden. */
  readonly start: () => Promise<void>;
}

/** Makes every part once and joins them: readings with their alerts, the desktop, the jobs, and the calls of the page. */
export async function openApp(opening: Opening): Promise<WholeApp> {
  const { flags, paths, log, settings, bounds, window } = opening;
  log.info(`Headroom ${app.getVersion()} starts on Electron ${process.versions.electron}.`);
  const [alerts, plan, receiptStore] = await Promise.all([
    AlertStore.open(paths.alertsFile, log),
    PlanFileStore.open(paths.planFile, log),
    ReceiptStore.open(paths.receiptsFile, log),
  ]);
  const systemLocale = systemLanguage(app.getPreferredSystemLanguages());
  const surroundings = surroundingsOf(opening, systemLocale);
  const { locale, send } = surroundings;
  const dialogs = openDialogs(app.isPackaged, () => window.current());

  const readings = openReadings(surroundings, alerts);
  const { source, push } = readings;
  const desktop = openDesktop(surroundings, readings, dialogs);
  const { receipts, measuring, freeing } = openJobs(surroundings, readings, dialogs, receiptStore);
  settings.onChange((state) => send('settings', state));

  const handlers = allHandlers({
    source,
    push,
    watch: source,
    freeing,
    desktopState: () => desktop.integration.desktopState(),
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
    readLinks: () =>
      source.latest()?.source.kind === 'machine'
        ? topologyLinks(new AbortController().signal, settings.settings().nvidiaSmiPath)
        : Promise.resolve([]),
    locale,
    platform: process.platform,
    info: describeApp(app.getVersion(), process, systemLocale, flags.enforceSandbox),
    log,
    openLogFolder: desktop.openLogFolder,
  });

  app.on('window-all-closed', () => app.quit());
  const endReadings = (): Promise<void> => {
    desktop.integration.dispose();
    return source.dispose();
  };
  finishBeforeQuit(
    app,
    [
      () => measuring.dispose(),
      endReadings,
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
    mayClose: () => desktop.closing.mayClose(),
    async windowGone(reason) {
      const answer = await askAfterWindowFailure(dialogs, locale(), reason);
      if (answer === 'reload') window.reload();
      else app.quit();
    },
    start: desktop.start,
  };
}
