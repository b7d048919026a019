/** The scenes of the simulated workstation, in the order in which they are offered. */
import type { SceneSummary } from '../../../shared/contract/scenes';
import type { Scene } from '../scene';
import { cardLost } from './cardLost';
import { dataparallelImbalance } from './dataparallelImbalance';
import { driverMismatch } from './driverMismatch';
import { eightHealthy } from './eightHealthy';
import { loadingShards } from './loadingShards';
import { mig } from './mig';
import { orphanedRanks } from './orphanedRanks';
import { restless } from './restless';
import { sixteenCards } from './sixteenCards';
import { slowLeak } from './slowLeak';
import { smiHangs } from './smiHangs';
import { strayContexts } from './strayContexts';
import { twoLeaks } from './twoLeaks';
import { two3090Oom } from './two3090Oom';

export const scenes: readonly Scene[] = [
  two3090Oom,
  eightHealthy,
  orphanedRanks,
  slowLeak,
  twoLeaks,
  loadingShards,
  dataparallelImbalance,
  strayContexts,
  mig,
  sixteenCards,
  driverMismatch,
  cardLost,
  smiHangs,
];

/** Scenes that are played by name only: nobody learns from them. */
const unlisted: readonly Scene[] = [restless];

/** The scene of that id, or null. */
export function findScene(id: string): Scene | null {
  return [...scenes, ...unlisted].find((scene) => scene.id === id) ?? null;
}

/** What a person needs to choose among them. */
export const sceneSummaries: readonly SceneSummary[] = scenes.map(({ id, title, description }) => ({
  id,
  title,
  description,
}));
