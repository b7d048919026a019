import { AlertWatch } from '../alerts/alertWatch';
import type { WorkstationState } from '../../shared/snapshot/types';
import { chooseFirstScene } from '../desktop/firstScene';
import { SnapshotPush } from '../ipc/snapshotPush';
import { findNvidiaSmi } from '../sensing/findNvidiaSmi';
import type { SnapshotSource } from '../sensing/source';
import { startSnapshotSource } from '../sensing/startSnapshotSource';
import { findScene } from '../simulation/scenes';
import type { AlertStore } from '../storage/alertStore';
import { secondsNow, type Opening, type Surroundings } from './surroundings';

/** Where Snapshots come from, and how they reach the page. */
export interface OpenReadings {
  /** Snapshots with their alerts. */
  readonly source: AlertWatch;
  readonly push: SnapshotPush;
}

/** Starts sensing, puts the alerts before it, and follows the settings of both. */
export function openReadings(surroundings: Surroundings, alerts: AlertStore): OpenReadings {
  const { settings, send } = surroundings;
  const source = new AlertWatch(startSensing(surroundings), () => settings.settings(), secondsNow, alerts);
  source.onChange((state) => send('alerts', state));
  settings.onChange(({ settings: now }, before) => {
    if (now.intervalSeconds !== before.intervalSeconds || now.nvidiaSmiPath !== before.nvidiaSmiPath)
      source.configure(now);
  });
  return { source, push: new SnapshotPush(source, send) };
}

function startSensing({
  flags,
  log,
  settings,
  window,
  startsHidden,
}: Opening): SnapshotSource<WorkstationState> {
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
