import type { SceneSummary } from '../../shared/contract/scenes';
import type { SnapshotSource } from '../sensing/source';
import { alertHandlers, type AlertServices } from './alertHandlers';
import { appHandlers, type AppServices } from './appHandlers';
import { jobHandlers, type JobServices } from './jobHandlers';
import { measureHandlers, type MeasureServices } from './measureHandlers';
import { planHandlers, type PlanServices } from './planHandlers';
import { receiptHandlers, type ReceiptServices } from './receiptHandlers';
import type { Handlers } from './answer';
import { sceneHandlers } from './sceneHandlers';
import { settingsHandlers, type SettingsServices } from './settingsHandlers';
import { snapshotHandlers } from './snapshotHandlers';
import type { SnapshotPush } from './snapshotPush';

export interface Services
  extends
    AlertServices,
    AppServices,
    JobServices,
    MeasureServices,
    PlanServices,
    ReceiptServices,
    SettingsServices {
  readonly source: SnapshotSource;
  readonly push: SnapshotPush;
  readonly scenes: readonly SceneSummary[];
}

/** The handlers by group. The compiler asks for each call once; the contract test also refuses a second one. */
export function handlerGroups(services: Services) {
  return [
    snapshotHandlers(services.source, services.push),
    sceneHandlers(services.source, services.scenes),
    settingsHandlers(services),
    appHandlers(services),
    alertHandlers(services),
    jobHandlers(services),
    planHandlers(services),
    receiptHandlers(services),
    measureHandlers(services),
  ] as const;
}

/** All groups as one. */
export function allHandlers(services: Services): Handlers {
  const [snapshot, scenes, settings, app, alerts, jobs, plan, receipts, measure] = handlerGroups(services);
  return {
    ...snapshot,
    ...scenes,
    ...settings,
    ...app,
    ...alerts,
    ...jobs,
    ...plan,
    ...receipts,
    ...measure,
  };
}
