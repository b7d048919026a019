import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Snapshot } from '../../../../../shared/alerts/snapshot';
import { replay } from '../../../../../shared/gpu/forecast/replay';
import type { MemorySample } from '../../../../../shared/gpu/forecast/series';
import { trackForecasts, type ForecastMemory } from '../../../../../shared/gpu/forecast/track';
import { GiB, MiB } from '../../../../../shared/units';
import { card } from '../../snapshot/imbalance/builders';

const capacityBytes = 24 * GiB;

/** What the readings of one process on one card of 24 GiB, whose use cannot be read, raise: the second and the time left. */
function live(samples: readonly MemorySample[]): readonly (readonly [number, number])[] {
  let memory: ForecastMemory = new Map();
  const raised: (readonly [number, number])[] = [];
  for (const { t, bytes } of samples) {
    const seen = {
      time: t,
      cards: [{ ...card(0, bytes / GiB), memoryFreeBytes: capacityBytes - bytes, utilizationPercent: null }],
      processes: [{ pid: 7, gpuIndex: 0, usedBytes: bytes }],
    } as unknown as Snapshot;
    ({ memory } = trackForecasts(memory, seen));
    const standing = memory.get(0)?.announcement.standing ?? null;
    if (standing?.at === t) raised.push([t, standing.etaSeconds]);
  }
  return raised;
}

/** A base, then stretches of even growth, rest, or a spike, looked at every so many seconds. */
const courses = fc.record({
  every: fc.constantFrom(1, 2, 5, 15, 60),
  base: fc.integer({ min: 1, max: 8 }),
  stretches: fc.array(
    fc.record({
      seconds: fc.integer({ min: 5, max: 600 }),
      mibPerSecond: fc.constantFrom(0, 0, 2, 10, 40, 150),
      spikeGiB: fc.constantFrom(0, 0, 2, 5),
    }),
    { minLength: 1, maxLength: 8 },
  ),
});

function samplesOf({
  every,
  base,
  stretches,
}: typeof courses extends fc.Arbitrary<infer T> ? T : never): MemorySample[] {
  const samples: MemorySample[] = [];
  let begin = 0;
  let held = base * GiB;
  for (const { seconds, mibPerSecond, spikeGiB } of stretches) {
    for (let t = Math.ceil(begin / every) * every; t < begin + seconds; t += every) {
      const spike = spikeGiB > 0 && t - begin < 10 ? spikeGiB * GiB : 0;
      const bytes = held + (t - begin) * mibPerSecond * MiB + spike;
      if (bytes > capacityBytes) return samples;
      samples.push({ t, bytes });
    }
    held += seconds * mibPerSecond * MiB;
    begin += seconds;
  }
  return samples;
}

it('the readings of a machine and the replay of the same recording raise the same alerts', () => {
  let raisedAny = 0;
  fc.assert(
    fc.property(courses, (course) => {
      const samples = samplesOf(course);
      const replayed = replay(samples, capacityBytes).alerts.map(({ t, etaSeconds }) => [t, etaSeconds]);
      expect(live(samples)).toEqual(replayed);
      raisedAny += replayed.length;
    }),
    { numRuns: 60, seed: 22 },
  );
  expect(raisedAny).toBeGreaterThan(10);
});
