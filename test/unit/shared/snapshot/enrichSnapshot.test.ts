import { describe, expect, it } from 'vitest';
import { findScene } from '../../../../electron/simulation/scenes';
import { emptyMemory, enrichSnapshot } from '../../../../shared/snapshot/enrichSnapshot';
import type { WorkstationState } from '../../../../shared/snapshot/types';
import { translate } from '../../../../shared/i18n/translate';
import { GiB, MiB } from '../../../../shared/units';
import { card, job, member } from './imbalance/builders';
import { sceneSnapshots } from '../scenePlayer';
import { snapshotOf } from '../contract/typedSnapshot';
import { wholeWorld } from '../../../../shared/jobs/world';

function sceneAt(sceneId: string, second: number): WorkstationState {
  const scene = findScene(sceneId);
  if (scene === null) throw new Error(sceneId);
  const last = [...sceneSnapshots(scene, second + 1)].at(-1);
  if (last === undefined) throw new Error('no Snapshot');
  return last;
}

describe('an enriched Snapshot', () => {
  it('foresees the end of a leak, by process and card', () => {
    const { forecast } = sceneAt('slow-leak', 120);
    expect(forecast).toHaveLength(3);
    expect(forecast[0]).toMatchObject({ gpuIndex: 0, state: 'growing' });
    expect((forecast[0]?.slopeBytesPerSecond ?? 0) / MiB).toBeCloseTo(13, 0);
    // 24,263 MiB less 15,800 and 120 times 13.
    expect(forecast[0]?.etaSeconds).toBeCloseTo((24_263 - 15_800 - 120 * 13) / 13, -1);
    expect(forecast[1]).toMatchObject({
      gpuIndex: 0,
      pid: null,
      state: 'growing',
      etaSeconds: forecast[0]?.etaSeconds,
    });
    expect(forecast[2]).toMatchObject({ gpuIndex: 1, state: 'steady', etaSeconds: null });
  });

  it('judges the ranks whose launcher died, and no longer calls them uneven', () => {
    const { jobs, imbalance } = sceneAt('orphaned-ranks', 10);
    const left = jobs.find(({ title }) => title === 'train_gpt.py');
    expect(left?.verdict).toBe('stale');
    expect(left?.reasons.map(({ sign }) => sign)).toEqual(['launcher-gone', 'port-silent']);
    expect(jobs.find(({ title }) => title === 'finetune_bert.py')?.verdict).toBe('healthy');
    expect(imbalance).toEqual([]);
  });

  it('says what is uneven and why', () => {
    const { imbalance } = sceneAt('dataparallel-imbalance', 3);
    expect(imbalance.map(({ kind }) => kind)).toEqual(['data-parallel-master']);
    expect(translate('en', imbalance[0]?.what ?? { key: 'app.doctor', values: {} })).toBe(
      'train_dp.py holds 21.8 GiB on card 0 and 12.5 GiB on each of the others.',
    );
  });

  it('does not call a job idle whose card is busy, though its processes only wait', () => {
    const { jobs } = sceneAt('mig', 400);
    const onBusyCard = jobs.find(({ title }) => title === 'train_llama.py');
    expect(onBusyCard).toMatchObject({ verdict: 'healthy', idleSince: null });
  });
});

describe('a lost card', () => {
  it('keeps the time of its last reading', () => {
    const snapshots = (['card-lost'] as const).flatMap((id) => {
      const scene = findScene(id);
      return scene === null ? [] : [...sceneSnapshots(scene, 16)];
    });
    const [first, last] = [snapshots[0], snapshots.at(-1)];
    if (first === undefined || last === undefined) throw new Error('no Snapshot');
    // It is lost at second 12, so that second 11 is its last.
    expect(last.cards.map(({ lost, readAt }) => [lost, (readAt ?? 0) - first.time])).toEqual([
      [false, 15],
      [false, 15],
      [true, 11],
      [false, 15],
    ]);
  });
});

describe('a Snapshot without new readings', () => {
  const at = (time: number, cardsReadAt: number, used: number): WorkstationState =>
    snapshotOf({
      time,
      cardsReadAt,
      cards: [card(0, used)],
      jobs: [job('train', [member(7, null, [used])])],
      processes: [
        {
          gpuIndex: 0,
          gpuUuid: null,
          pid: 7,
          type: 'C',
          name: 'python',
          usedBytes: used * GiB,
          gpuInstance: null,
          computeInstance: null,
        },
      ],
    });

  it('forecasts nothing and remembers nothing of a level that was not read again', () => {
    let memory = emptyMemory;
    for (let second = 0; second < 60; second += 1)
      ({ memory } = enrichSnapshot(memory, at(second, second, 4 + second * 0.05), {
        listeningPorts: null,
        livingContainers: null,
        world: wholeWorld,
      }));
    const silent = enrichSnapshot(memory, at(61, 59, 6.95), {
      listeningPorts: null,
      livingContainers: null,
      world: wholeWorld,
    });
    expect(silent.snapshot.forecast).toEqual([]);
    expect(silent.memory.forecasts).toBe(memory.forecasts);
    const again = enrichSnapshot(silent.memory, at(62, 62, 7.1), {
      listeningPorts: null,
      livingContainers: null,
      world: wholeWorld,
    });
    expect(again.snapshot.forecast[0]?.state).toBe('growing');
  });
});
