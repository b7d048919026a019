import { noForecasts, trackForecasts, type ForecastMemory } from '../gpu/forecast/track';
import { imbalances } from './imbalance/imbalances';
import type { World } from '../jobs/world';
import { judgeJobs, noPasts, type StaleMemory } from '../jobs/stale/judge';
import type { Card } from '../gpu/types';
import type { WorkstationState } from './types';

/** What the rules over successive Snapshots remember between two of them. */
export interface SnapshotMemory {
  readonly forecasts: ForecastMemory;
  readonly jobs: StaleMemory;
  /** When the cards of the last Snapshot were read (seconds since the epoch). */
  readonly cardsReadAt: number | null;
  /** When each card last answered, by its index. */
  readonly cardReadAt: ReadonlyMap<number, number>;
}

export const emptyMemory: SnapshotMemory = {
  forecasts: noForecasts,
  jobs: noPasts,
  cardsReadAt: null,
  cardReadAt: new Map(),
};

export interface SnapshotSurroundings {
  /** Ports that something listens on, where the jobs live; null where that could not be read. */
  readonly listeningPorts: ReadonlySet<number> | null;
  /** Ids of the containers that live; null where that could not be read. */
  readonly livingContainers: ReadonlySet<string> | null;
  readonly world: World;
}

/** A card that works less than this does nothing that a job could be alive by. */
const busyPercent = 3;

/**
 * The one reducer over Snapshots: from what is remembered and an assembled Snapshot to the same Snapshot with its
 * forecasts, its jobs judged, and what is uneven. Alerts are not made here: they hang on the settings, which are main's.
 * Without new readings of the cards nothing is forecast, as a level that was read once more is no level that stayed.
 */
export function enrichSnapshot(
  memory: SnapshotMemory,
  snapshot: WorkstationState,
  surroundings: SnapshotSurroundings,
): { readonly memory: SnapshotMemory; readonly snapshot: WorkstationState } {
  const isFresh = snapshot.cardsReadAt !== null && snapshot.cardsReadAt !== memory.cardsReadAt;
  const tracked = isFresh
    ? trackForecasts(memory.forecasts, snapshot)
    : { memory: memory.forecasts, forecasts: [] };
  const cards = snapshot.cards.map((card) =>
    card.lost ? { ...card, readAt: memory.cardReadAt.get(card.index) ?? null } : card,
  );
  const judged = judgeJobs(memory.jobs, {
    jobs: snapshot.jobs,
    now: snapshot.time,
    busyCards: isFresh ? busyCards(snapshot.cards) : new Map(),
    ...surroundings,
  });
  return {
    memory: {
      forecasts: tracked.memory,
      jobs: judged.memory,
      cardsReadAt: snapshot.cardsReadAt,
      cardReadAt: readTimes(cards),
    },
    snapshot: {
      ...snapshot,
      cards,
      jobs: judged.jobs,
      forecast: tracked.forecasts,
      imbalance: imbalances(snapshot.cards, judged.jobs),
    },
  };
}

function readTimes(cards: readonly Card[]): ReadonlyMap<number, number> {
  return new Map(cards.flatMap(({ index, readAt }) => (readAt === null ? [] : [[index, readAt]])));
}

function busyCards(cards: readonly Card[]): ReadonlyMap<number, number | null> {
  return new Map(
    cards.flatMap(({ index, lost, utilizationPercent }) =>
      lost || (utilizationPercent !== null && utilizationPercent < busyPercent)
        ? []
        : [[index, utilizationPercent] as const],
    ),
  );
}
