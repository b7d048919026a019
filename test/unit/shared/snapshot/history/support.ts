import type { Card } from '../../../../../shared/gpu/types';
import type { Snapshot } from '../../../../../shared/alerts/snapshot';
import type { Job } from '../../../../../shared/jobs/types';
import { MiB } from '../../../../../shared/units';
import { plainCard, plainJob, snapshotOf } from '../../contract/typedSnapshot';
import { facts } from '../../jobs/facts';

export interface CardAt {
  readonly index: number;
  readonly usedMiB: number | null;
  readonly utilization?: number | null;
  readonly lost?: boolean;
}

export interface JobAt {
  readonly id: string;
  readonly title?: string;
  readonly kind?: Job['kind'];
  /** MiB by card index; null: not told. */
  readonly on: Readonly<Record<number, number | null>>;
  /** One of its own where it is not given. */
  readonly pid?: number;
  /** Processes that hold no memory. */
  readonly helpers?: readonly number[];
}

function card({ index, usedMiB, utilization = null, lost = false }: CardAt): Card {
  const memoryUsedBytes = usedMiB === null ? null : usedMiB * MiB;
  return plainCard(index, { lost, memoryUsedBytes, utilizationPercent: utilization });
}

function job({ id, title = id, kind = 'single', on, pid = id.charCodeAt(0), helpers = [] }: JobAt): Job {
  const cards = Object.entries(on).map(([index, usedMiB]) => ({
    gpuIndex: Number(index),
    usedBytes: usedMiB === null ? null : usedMiB * MiB,
  }));
  return plainJob(
    id,
    [
      { process: facts({ pid }), role: 'process', rank: null, origin: 'started', listed: true, cards },
      ...helpers.map((helper) => ({
        process: facts({ pid: helper }),
        role: 'worker' as const,
        rank: null,
        origin: 'member' as const,
        listed: false,
        cards: [],
      })),
    ],
    { title, kind },
  );
}

export function snapshotAt(
  time: number,
  cards: readonly CardAt[],
  jobs: readonly JobAt[] = [],
  cardsReadAt: number | null = time,
): Snapshot {
  return snapshotOf({ time, cardsReadAt, cards: cards.map(card), jobs: jobs.map(job) });
}

/** One of a series at another pace than one reading a second. */
export function snapshotEvery(intervalSeconds: number, time: number, cards: readonly CardAt[]): Snapshot {
  return { ...snapshotAt(time, cards), intervalSeconds };
}
