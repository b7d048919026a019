import { describe, expect, it } from 'vitest';
import { plannedOnCards, plannedTotalBytes, rankPlaces } from '../../../../shared/receipts/places';
import { GiB, job, MiB, savedPlan } from './builders';

const placesOf = (one: ReturnType<typeof job>, count: number) =>
  rankPlaces(one, count).map(({ gpuIndex, rank, usedBytes }) => [rank, gpuIndex, usedBytes]);

describe('the ranks of a plan', () => {
  it('are those that the environment names, on the card where each holds most', () => {
    const two = job([
      { pid: 1, role: 'launcher' },
      {
        pid: 3,
        rank: 1,
        cards: [
          [0, 300],
          [1, 20_000],
        ],
      },
      { pid: 2, rank: 0, cards: [[0, 19_000]] },
    ]);
    expect(placesOf(two, 2)).toEqual([
      [0, 0, 19_000 * MiB],
      [1, 1, 20_000 * MiB],
    ]);
  });

  it('are the cards of one process, where it alone trains on several', () => {
    const parallel = job(
      [
        {
          pid: 1,
          role: 'process',
          cards: [
            [3, 9_000],
            [1, 21_000],
          ],
        },
      ],
      { kind: 'single' },
    );
    expect(placesOf(parallel, 2)).toEqual([
      [0, 1, 21_000 * MiB],
      [1, 3, 9_000 * MiB],
    ]);
  });

  it('are the processes in the order of their pids where no rank is known, without loader workers', () => {
    const unnamed = job([
      { pid: 9, role: 'process', cards: [[1, 5_000]] },
      { pid: 8, role: 'process', cards: [[0, 4_000]] },
      { pid: 10, role: 'worker', cards: [[0, 400]] },
    ]);
    expect(placesOf(unnamed, 2)).toEqual([
      [0, 0, 4_000 * MiB],
      [1, 1, 5_000 * MiB],
    ]);
  });

  it('are the largest process for a plan of one card, and never more than the plan has', () => {
    const several = job([
      { pid: 1, role: 'process', cards: [[0, 600]] },
      { pid: 2, role: 'process', cards: [[0, 18_000]] },
    ]);
    expect(placesOf(several, 1)).toEqual([[0, 0, 18_000 * MiB]]);
  });

  it('have no bytes where the driver tells none', () =>
    expect(placesOf(job([{ pid: 1, rank: 0, cards: [[0, null]] }]), 1)).toEqual([[0, 0, null]]));
});

describe('planned memory on cards', () => {
  it('is added up where several ranks share a card', () => {
    const shared = job([
      { pid: 1, rank: 0, cards: [[0, 9_000]] },
      { pid: 2, rank: 1, cards: [[0, 9_000]] },
    ]);
    expect([...plannedOnCards(shared, savedPlan(2))]).toEqual([[0, 43 * GiB]]);
    expect(plannedTotalBytes(savedPlan(2))).toBe(43 * GiB);
  });

  it('is none before the job holds a card', () =>
    expect(plannedOnCards(job([{ pid: 1, rank: 0 }]), savedPlan(1)).size).toBe(0));
});
