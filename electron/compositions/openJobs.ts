import { app } from 'electron';
import os from 'node:os';
import type { Dialogs } from '../desktop/ports/dialogs';
import { Freeing } from '../ending/freeing';
import { processControl } from '../ending/processControl';
import { ownProtection } from '../ending/protectedProcesses';
import { LazyMeasuring } from '../measure/lazyMeasuring';
import { ReceiptBook } from '../receipts/receiptBook';
import { readPlanFile, readRankLogs } from '../receipts/runFolder';
import type { ReceiptStore } from '../storage/receiptStore';
import { secondsNow, type Surroundings } from './surroundings';
import type { OpenReadings } from './openReadings';

/** What the app does with jobs: it follows those that were planned, measures plans, and ends leftovers. */
export interface Jobs {
  readonly receipts: ReceiptBook;
  readonly measuring: LazyMeasuring;
  readonly freeing: Freeing;
}

export function openJobs(
  { settings, locale, log, send }: Surroundings,
  { source }: OpenReadings,
  dialogs: Dialogs,
  store: ReceiptStore,
): Jobs {
  const receipts = new ReceiptBook({
    store,
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
  return { receipts, measuring, freeing };
}
