import { beforeEach, describe, expect, it } from 'vitest';
import { ReceiptBook } from '../../../../electron/receipts/receiptBook';
import type { KeptReceipts } from '../../../../electron/storage/receiptStore';
import type { Snapshot } from '../../../../shared/alerts/snapshot';
import type { Job } from '../../../../shared/jobs/types';
import type { RankLog } from '../../../../shared/receipts/rankLog';
import type { ReceiptsState } from '../../../../shared/receipts/state';
import { noRank } from '../../shared/jobs/facts';
import { cards, job, MiB, receipt, savedPlan } from '../../shared/receipts/builders';
import { emptySnapshot } from '../fakes';

const plan = savedPlan();
const marked = { environment: { ...noRank, headroomPlan: plan.id }, workingFolder: '/home/ada/run' };
const trained = (usedMiB: number, process: Parameters<typeof job>[0][0]['process'] = marked) =>
  job([{ pid: 5, rank: 0, cards: [[0, usedMiB]], process }]);
const noLog: RankLog = { allocatedPeakBytes: null, reservedBytes: null, doneSteps: null, failed: false };

let now: number;
let kept: KeptReceipts;
let folderPlans: Map<string, typeof plan>;
let logs: Map<number, RankLog>;
let told: ReceiptsState[];
let read: string[];

function open(): ReceiptBook {
  return new ReceiptBook({
    store: {
      kept: () => kept,
      save: (changed) => (kept = changed),
      notice: () => null,
      flush: () => Promise.resolve(),
    },
    readPlan: (folder, planId) => {
      read.push(`plan ${folder}`);
      return Promise.resolve(folderPlans.get(planId) ?? null);
    },
    readLogs: (folder) => {
      read.push(`logs ${folder}`);
      return Promise.resolve(logs);
    },
    clock: () => now,
    onChange: (state) => told.push(state),
  });
}

function at(seconds: number, jobs: readonly Job[], more: Partial<Snapshot> = {}): Snapshot {
  now = seconds;
  return { ...emptySnapshot(seconds), driverVersion: '580.1', cards: cards(2), jobs, ...more };
}

beforeEach(() => {
  now = 0;
  kept = { plans: [], ties: [], receipts: [] };
  folderPlans = new Map();
  logs = new Map();
  told = [];
  read = [];
});

describe('a job that was started from a plan', () => {
  it('is tied to it by its mark, followed, and closed when it is gone for two readings', async () => {
    const book = open();
    book.remember(plan);
    book.take(at(1, [trained(900)]));
    book.take(at(2, [trained(20_000)]));
    expect(book.state().ties).toEqual([{ jobId: '41822-7', planId: plan.id, by: 'launch' }]);
    book.take(at(3, []));
    expect(book.state().receipts[0]?.end).toBe('running');
    logs.set(0, { ...noLog, allocatedPeakBytes: 19_000, doneSteps: 20 });
    book.take(at(4, []));
    expect(book.state().receipts[0]).toMatchObject({ end: 'ended', endedAt: 4 });
    await book.settled();
    expect(book.state().receipts).toMatchObject([
      {
        planId: plan.id,
        jobId: '41822-7',
        end: 'finished',
        endedAt: 4,
        driverVersion: '580.1',
        ranks: [{ processBytes: 20_000 * MiB, allocatedPeakBytes: 19_000 }],
      },
    ]);
    expect(book.state().ties).toEqual([]);
    expect(read).toEqual(['logs /home/ada/run']);
    expect(kept.receipts).toEqual(book.state().receipts);
  });

  it('brings its plan along where the app does not know it, and is asked only once', async () => {
    folderPlans.set(plan.id, plan);
    const book = open();
    book.take(at(1, [trained(900)]));
    book.take(at(2, [trained(900)]));
    await book.settled();
    book.take(at(3, [trained(900)]));
    expect([read, book.state().ties.length, kept.plans[0]?.plan.name]).toEqual([
      ['plan /home/ada/run'],
      1,
      'llama-2-13b',
    ]);
  });

  it('of another user brings nothing: no file of theirs is read', async () => {
    folderPlans.set(plan.id, plan);
    const book = open();
    book.take(at(1, [{ ...trained(900), ownedByMe: false }]));
    book.take(at(2, [{ ...trained(900), ownedByMe: null }]));
    await book.settled();
    expect([read, book.state().ties]).toEqual([[], []]);
  });

  it('tells its allocator’s peak while it runs', async () => {
    const book = open();
    book.remember(plan);
    book.take(at(1, [trained(900)]));
    logs.set(0, { ...noLog, allocatedPeakBytes: 7, reservedBytes: 9 });
    for (const second of [8, 17, 40]) {
      book.take(at(second, [trained(900)]));
      await book.settled();
    }
    expect(read).toEqual(['logs /home/ada/run']);
    expect(book.state().receipts[0]?.ranks[0]).toMatchObject({ allocatedPeakBytes: 7, reservedBytes: 9 });
  });

  it('that Headroom ended is not called failed', async () => {
    const book = open();
    book.remember(plan);
    book.take(at(1, [trained(900)]));
    book.freed('41822-7');
    logs.set(0, { ...noLog, failed: true });
    book.take(at(2, []));
    book.take(at(3, []));
    await book.settled();
    expect(book.state().receipts[0]?.end).toBe('freed');
  });

  it('that vanished from a full card died', () => {
    const full = cards(1).map((card) => ({
      ...card,
      lost: false,
      readAt: null,
      sharesHostMemory: false,
      memoryTotalBytes: 24_000 * MiB,
      memoryUsedBytes: 23_800 * MiB,
    }));
    const processes = [
      {
        gpuIndex: 0,
        gpuUuid: null,
        pid: 5,
        type: 'C',
        name: 'python3',
        usedBytes: 23_000 * MiB,
        gpuInstance: null,
        computeInstance: null,
      },
    ];
    const book = open();
    book.remember(plan);
    book.take(at(1, [trained(23_000, {})], { cards: full, processes }));
    book.tie('41822-7', plan.id);
    book.take(at(2, [], { cards: full }));
    book.take(at(3, [], { cards: full }));
    expect(book.state().receipts[0]).toMatchObject({ end: 'died', endedAt: 3 });
  });
});

describe('a tie by hand', () => {
  it('is kept over a restart, replaces the mark, and can be taken back with its receipt', () => {
    const other = savedPlan(1, { id: 'ffffffffffffffff', name: 'other' });
    const book = open();
    book.remember(other);
    book.remember(plan);
    book.take(at(1, [trained(900)]));
    expect(book.tie('41822-7', other.id)).toBe(true);
    expect(book.state().ties).toEqual([{ jobId: '41822-7', planId: other.id, by: 'person' }]);
    expect(book.state().receipts.map(({ name }) => name)).toEqual(['other']);
    const again = open();
    again.take(at(2, [trained(950)]));
    expect(again.state().ties).toEqual([{ jobId: '41822-7', planId: other.id, by: 'person' }]);
    expect(again.tie('41822-7', null)).toBe(true);
    again.take(at(3, [trained(960)]));
    expect([again.state().ties, again.state().receipts]).toEqual([[], []]);
    expect(read).toEqual([]);
  });

  it('is refused for a job or plan that is not there', () => {
    const book = open();
    book.remember(plan);
    book.take(at(1, [trained(900)]));
    expect([book.tie('1-1', plan.id), book.tie('41822-7', '0000000000000000')]).toEqual([false, false]);
  });
});

describe('a measurement', () => {
  const measuredLog = new Map([[0, { ...noLog, allocatedPeakBytes: 77, reservedBytes: 70, doneSteps: 2 }]]);

  it('takes over what was seen of its processes, which are no job of their own', () => {
    const book = open();
    book.remember(plan);
    const running = { ...trained(900), startedAt: 2 };
    book.take(at(3, [running]));
    book.take(at(4, [{ ...trained(1000), startedAt: 2 }]));
    const found = book.addMeasured(plan, 1, measuredLog, 'ended');
    expect(found).toMatchObject({
      source: 'measurement',
      jobId: null,
      end: 'finished',
      ranks: [{ processBytes: 1000 * MiB, allocatedPeakBytes: 77, reservedBytes: 70 }],
    });
    book.take(at(5, [running]));
    expect(book.state().receipts).toEqual([found]);
    expect(kept.ties).toEqual([]);
  });

  it('that was too short to be seen knows its card all the same, where there is one kind', () => {
    const book = open();
    book.take(at(1, []));
    expect(book.addMeasured(plan, 1, measuredLog, 'ended').ranks[0]).toMatchObject({
      cardName: 'NVIDIA GeForce RTX 3090',
      gpuIndex: null,
      processBytes: null,
    });
  });

  it('without any number is not kept', () => {
    const book = open();
    book.addMeasured(plan, 1, new Map(), 'freed');
    expect(book.state().receipts).toEqual([]);
  });
});

describe('receipts', () => {
  it('of a run that went on over a restart are taken up again, those of one that ended are unseen', () => {
    kept = {
      plans: [{ plan, savedAt: 0 }],
      ties: [],
      receipts: [
        receipt([{ processBytes: 30_000 * MiB }], {
          id: `${plan.id}/41822-7`,
          end: 'running',
          endedAt: null,
        }),
        receipt([{}], { id: 'gone', jobId: '9-9', end: 'running', endedAt: null }),
      ],
    };
    const book = open();
    book.take(at(1, [trained(900)]));
    expect(book.state().receipts).toMatchObject([
      { end: 'running', ranks: [{ processBytes: 30_000 * MiB }] },
      { id: 'gone', end: 'unseen', endedAt: null },
    ]);
  });

  it('of a scene are marked, and closed without a word about their end when it is left', () => {
    const book = open();
    book.remember(plan);
    book.take(at(1, [trained(900)], { source: { kind: 'simulated', sceneId: 'a' } }));
    book.take(at(2, [], { source: { kind: 'simulated', sceneId: 'b' } }));
    expect(book.state().receipts).toMatchObject([{ simulated: true, end: 'unseen' }]);
  });

  it('of a scene that the app’s end cut off are closed at the next start', () => {
    const open1 = { id: 'cut', end: 'running', endedAt: null } as const;
    kept = { plans: [], ties: [], receipts: [receipt([{}], { ...open1, simulated: true })] };
    expect(open().state().receipts).toMatchObject([{ id: 'cut', end: 'unseen' }]);
  });

  it('can be deleted; one of a running job begins anew', () => {
    const book = open();
    book.remember(plan);
    book.take(at(1, [trained(900)]));
    expect(book.delete('nothing')).toBe(false);
    expect(book.delete(`${plan.id}/41822-7`)).toBe(true);
    expect(kept.receipts).toEqual([]);
    book.take(at(2, [trained(800)]));
    expect(book.state().receipts[0]?.ranks[0]?.processBytes).toBe(800 * MiB);
  });

  it('do not wake the window more often than every five seconds, nor the disk than every minute', () => {
    const book = open();
    book.remember(plan);
    book.take(at(100, [trained(900)]));
    const toldBefore = told.length;
    let writes = 0;
    let last = kept;
    for (let second = 101; second <= 190; second += 1) {
      book.take(at(second, [trained(900 + second)]));
      if (kept !== last) writes += 1;
      last = kept;
    }
    expect(told.length - toldBefore).toBe(18);
    expect(writes).toBe(1);
  });

  it('take a reading once: a Snapshot without a new one changes nothing', () => {
    const book = open();
    book.remember(plan);
    book.take(at(1, [trained(900)]));
    book.take({ ...at(2, []), cardsReadAt: 1 });
    book.take({ ...at(3, []), cardsReadAt: null });
    book.take(at(4, []));
    expect(book.state().receipts[0]?.end).toBe('running');
  });
});
