/**
 * What Headroom says of jobs that were recorded on two H200s, reading by reading: DataParallel until it ran out, everything on the first
 * card until it ran out, ranks without `set_device`, and a rank that was killed while the other waited for it in NCCL.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { noAlerts, watchAlerts } from '../../../shared/alerts/watch';
import { assembleSnapshot, type Readings } from '../../../shared/snapshot/assembleSnapshot';
import { defaultSettings } from '../../../shared/contract/defaultSettings';
import { emptyMemory, enrichSnapshot } from '../../../shared/snapshot/enrichSnapshot';
import type { WorkstationState } from '../../../shared/snapshot/types';
import { translate } from '../../../shared/i18n/translate';
import { wholeWorld } from '../../../shared/jobs/world';

type Recorded = Pick<
  Readings,
  'time' | 'cardsReadAt' | 'driverVersion' | 'cudaVersion' | 'cards' | 'facts' | 'host'
> & {
  readonly processes: NonNullable<Readings['apps']>;
};

const folder = path.resolve(import.meta.dirname, '../../fixtures/recorded');

/** The Snapshots of a recording, and `second rule` of every alert. */
function played(name: string): {
  readonly snapshots: readonly WorkstationState[];
  readonly raised: readonly string[];
} {
  const text = gunzipSync(readFileSync(path.join(folder, `${name}.jsonl.gz`))).toString('utf8');
  const readings = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Recorded);
  const snapshots: WorkstationState[] = [];
  const raised: string[] = [];
  let [memory, alerts] = [emptyMemory, noAlerts];
  for (const { processes, ...reading } of readings) {
    const assembled = assembleSnapshot({
      ...reading,
      intervalSeconds: 1,
      source: { kind: 'machine', sceneId: null },
      apps: processes,
      lostGpuIndices: new Set(),
      isStale: false,
      detailCards: [],
      detailProcesses: [],
      gpuIndexByMinor: new Map([
        [0, 0],
        [1, 1],
      ]),
      previousJobs: snapshots.at(-1)?.jobs ?? [],
      ownUid: 0,
      world: wholeWorld,
      problems: [],
    });
    const enriched = enrichSnapshot(memory, assembled, {
      listeningPorts: null,
      livingContainers: null,
      world: wholeWorld,
    });
    memory = enriched.memory;
    const step = watchAlerts(alerts, enriched.snapshot, { ...defaultSettings, mutedCards: [] });
    alerts = step.memory;
    const second = Math.round(reading.time - (readings[0]?.time ?? 0));
    for (const { rule } of step.raised) raised.push(`${second} ${rule}`);
    snapshots.push(enriched.snapshot);
  }
  return { snapshots, raised };
}

/** Titles with verdicts of the jobs that hold memory, each answer once. */
function verdictsOf(snapshots: readonly WorkstationState[]): readonly string[] {
  const all = snapshots.map(({ jobs }) =>
    jobs
      .filter(({ memoryBytes }) => (memoryBytes ?? 0) > 0)
      .map(({ title, verdict }) => `${title} ${verdict}`)
      .join(', '),
  );
  return all.filter((text, index) => text !== all[index - 1]);
}

const kindsOf = (snapshots: readonly WorkstationState[]): ReadonlySet<string> =>
  new Set(snapshots.flatMap(({ imbalance }) => imbalance.map(({ kind }) => kind)));

describe('DataParallel on two cards, until it runs out', () => {
  const { snapshots, raised } = played('dataparallel');

  it('is one job whose first card holds more, from the first reading on', () => {
    const [first] = snapshots[0]?.imbalance ?? [];
    expect(first?.kind).toBe('data-parallel-master');
    expect(translate('en', first?.what ?? { key: 'common.unknown', values: {} })).toBe(
      'train_dp.py holds 133.7 GiB on card 0 and 70.1 GiB on each of the others.',
    );
    expect([...kindsOf(snapshots)]).toEqual(['data-parallel-master']);
  });

  it('is told as uneven and nearly full, its end is explained, and it is no leftover while it ends', () => {
    expect(raised).toContain('6 nearly-full');
    expect(raised).toContain('11 uneven');
    expect(raised.at(-1)).toMatch(/^\d+ died-on-full-card$/);
    expect(verdictsOf(snapshots)).toEqual(['train_dp.py healthy', '']);
  });

  it('holds nothing any more once its cards are empty', () => {
    for (const { cards, jobs } of snapshots)
      if (cards.every(({ memoryUsedBytes }) => (memoryUsedBytes ?? 0) < 2 ** 30))
        expect(jobs.filter(({ memoryBytes }) => memoryBytes !== null && memoryBytes > 0)).toEqual([]);
  });
});

describe('everything on the first of two cards', () => {
  const { snapshots, raised } = played('one-card');

  it('is told, at 89 percent of the card', () => {
    expect([...kindsOf(snapshots)]).toEqual(['everything-on-one-card']);
    expect(raised).toContain('11 uneven');
    expect(verdictsOf(snapshots)).toEqual(['train.py healthy', '']);
  });
});

describe('ranks without set_device', () => {
  const { snapshots, raised } = played('stray-contexts');

  it('are one torchrun job, of which rank 1 has a context on card 0 besides its own card', () => {
    expect([...kindsOf(snapshots)]).toEqual(['stray-contexts']);
    expect(raised.filter((entry) => entry.endsWith('uneven'))).toHaveLength(1);
    const job = snapshots[5]?.jobs.find(({ kind }) => kind === 'torchrun');
    expect([job?.title, job?.worldSize]).toEqual(['train_ddp.py', 2]);
    expect(job?.members.map(({ rank, cards }) => [rank, cards.map(({ gpuIndex }) => gpuIndex)])).toEqual([
      [null, []],
      [0, [0]],
      [1, [0, 1]],
    ]);
  });
});

describe('a killed rank, for which the other waits in NCCL at 100 percent', () => {
  const { snapshots, raised } = played('dead-rank');

  it('makes the job suspect within two readings, with the rank that is missing, and never stale', () => {
    expect(verdictsOf(snapshots)).toEqual(['train_ddp.py healthy', 'train_ddp.py suspect', '']);
    const killed = snapshots.findIndex(({ processes }) => processes.length === 1);
    const after = snapshots[killed + 1]?.jobs[0];
    expect(after?.reasons.map(({ sign }) => sign)).toEqual(['ranks-missing']);
    expect(snapshots[killed + 5]?.cards[0]?.utilizationPercent).toBe(100);
  });

  it('is told once, half a minute later', () => expect(raised).toEqual(['54 rank-lost']));
});
