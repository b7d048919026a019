import { describe, expect, it } from 'vitest';
import { mostOpenDevices, scriptWord } from '../../../../electron/simulation/programScript';
import { observe } from '../../../../electron/simulation/observe';
import { along, wave } from '../../../../electron/simulation/scene';
import { findScene, scenes, sceneSummaries } from '../../../../electron/simulation/scenes';
import { translate } from '../../../../shared/i18n/translate';

/** Every program with a pid of its own, as if all were alive. */
const everyPid = (sceneId: string): ReadonlyMap<string, number> =>
  new Map((findScene(sceneId)?.programs ?? []).map(({ key }, at) => [key, 1000 + at]));

describe('the list of scenes', () => {
  it('has all that the command promises', () => {
    expect(sceneSummaries.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'two-3090-oom',
        'eight-healthy',
        'orphaned-ranks',
        'slow-leak',
        'dataparallel-imbalance',
        'stray-contexts',
        'mig',
        'driver-mismatch',
        'card-lost',
        'smi-hangs',
      ]),
    );
    expect(new Set(sceneSummaries.map(({ id }) => id)).size).toBe(sceneSummaries.length);
  });

  it('is told in both languages', () => {
    for (const { title, description } of sceneSummaries)
      for (const text of [title, description]) {
        expect(translate('en', text)).not.toMatch(/[{}]|^scenes\./);
        expect(translate('zh-CN', text)).toMatch(/\p{Script=Han}|MIG/u);
      }
  });
});

describe.each(scenes.map(({ id }) => id))('the scene %s', (id) => {
  const scene = findScene(id);
  if (scene === null) throw new Error('listed, so it is there');

  it('has cards with UUIDs, buses and minor numbers of their own', () => {
    for (const of of ['uuid', 'pciBusId', 'minorNumber'] as const)
      expect(new Set(scene.cards.map((card) => card[of])).size).toBe(scene.cards.length);
  });

  it('has programs that a shell can play', () => {
    const keys = scene.programs.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    for (const program of scene.programs) {
      expect(scriptWord(program.command), program.key).not.toBeNull();
      expect(program.openDevices.length, program.key).toBeLessThanOrEqual(mostOpenDevices);
      if (program.parent !== null) expect(keys, program.key).toContain(program.parent);
    }
  });

  it('at every moment of an hour names only its own programs and cards, within each card’s memory', () => {
    const keys = new Set(scene.programs.map(({ key }) => key));
    const pids = everyPid(id);
    for (let seconds = 0; seconds < 3600; seconds += 41) {
      for (const { program, gpuIndex, usedMiB } of scene.processesAt(seconds)) {
        expect(keys).toContain(program);
        expect(scene.cards[gpuIndex]).toBeDefined();
        expect(usedMiB).toBeGreaterThanOrEqual(0);
      }
      for (const { card, processes, usedMiB, freeMiB, utilizationPercent, powerWatts } of observe(
        scene,
        seconds,
        pids,
      )) {
        expect(processes.reduce((sum, process) => sum + process.usedMiB, 0)).toBe(usedMiB);
        expect(freeMiB).toBeGreaterThanOrEqual(0);
        expect(usedMiB + freeMiB + card.model.memoryReservedMiB).toBe(card.model.memoryTotalMiB);
        expect(utilizationPercent).toBeGreaterThanOrEqual(0);
        expect(utilizationPercent).toBeLessThanOrEqual(100);
        expect(powerWatts).toBeLessThan(card.model.powerLimitWatts * 1.05);
      }
    }
  });

  it('shows an empty card where nothing lives', () => {
    for (const card of observe(scene, 100, new Map())) {
      expect(card).toMatchObject({ usedMiB: 0, utilizationPercent: 0, processes: [] });
    }
  });
});

describe('stories', () => {
  it('two-3090-oom fills the first card to the brim, dies, and begins again', () => {
    const scene = findScene('two-3090-oom');
    const train = scene?.programs.find(({ key }) => key === 'train');
    const alive = Array.from({ length: 200 }, (_none, seconds) => train?.aliveAt(seconds) ?? false);
    const death = alive.indexOf(false);
    expect(death).toBeGreaterThan(20);
    expect(alive.indexOf(true, death)).toBeGreaterThan(death);
    const used = (seconds: number) =>
      scene?.processesAt(seconds).find(({ program }) => program === 'train')?.usedMiB ?? 0;
    expect(used(death - 1)).toBeGreaterThan(23_900);
    expect(used(0)).toBeLessThan(used(death - 1));
  });

  it('slow-leak grows by the same amount every second', () => {
    const scene = findScene('slow-leak');
    const used = [0, 60, 120, 600].map((seconds) => scene?.processesAt(seconds)[0]?.usedMiB ?? 0);
    expect(used).toEqual([15_800, 15_800 + 13 * 60, 15_800 + 13 * 120, 15_800 + 13 * 600]);
  });

  it('orphaned-ranks loses its launcher and keeps its ranks, idle', () => {
    const scene = findScene('orphaned-ranks');
    const alive = (key: string, seconds: number) =>
      scene?.programs.find((program) => program.key === key)?.aliveAt(seconds);
    expect([alive('left.launcher', 1), alive('left.launcher', 10)]).toEqual([true, false]);
    expect(alive('left.rank0', 10_000)).toBe(true);
    expect(scene?.processesAt(10).find(({ program }) => program === 'left.rank0')).toMatchObject({
      usedMiB: 19_846,
      utilizationPercent: 0,
    });
  });
});

describe('functions of time', () => {
  it('along straight lines', () => {
    const points = [
      [0, 10],
      [10, 20],
      [20, 0],
    ] as const;
    expect([-5, 0, 5, 10, 15, 20, 99].map((seconds) => along(points, seconds))).toEqual([
      10, 10, 15, 20, 10, 0, 0,
    ]);
  });
  it('a wave stays within -1 and 1', () => {
    for (let seconds = 0; seconds < 500; seconds += 0.3)
      expect(Math.abs(wave(seconds, 3))).toBeLessThanOrEqual(1);
  });
});
