import { describe, expect, it } from 'vitest';
import { announce, noAnnouncement } from '../../../../../shared/gpu/forecast/announcement';
import type { Fill } from '../../../../../shared/gpu/forecast/fill';

const fill = (etaSeconds: number, willFill = true): Fill => ({
  slopeBytesPerSecond: 1,
  etaSeconds,
  etaRangeSeconds: [etaSeconds, etaSeconds],
  risingForSeconds: 200,
  willFill,
  mayBeLoading: false,
  growing: [0],
});

/** The seconds at which something is announced, each with the time left. */
function announced(
  seconds: number,
  at: (t: number) => Fill | null,
  livingAt: (t: number) => readonly number[] = () => [7],
): readonly (readonly [number, number])[] {
  let memory = noAnnouncement;
  const made: (readonly [number, number])[] = [];
  for (let t = 0; t < seconds; t += 1) {
    memory = announce(memory, t, at(t), { pids: new Set(livingAt(t)), growing: livingAt(t) });
    if (memory.standing?.at === t) made.push([t, memory.standing.etaSeconds]);
  }
  return made;
}

describe('one growth', () => {
  it('is announced once it was seen for two seconds, and not for a moment that passes', () => {
    expect(announced(60, () => fill(100))).toEqual([[2, 100]]);
    expect(announced(60, (t) => fill(100, t % 2 === 0))).toEqual([]);
  });

  it('is announced once more when two minutes are left', () =>
    expect(announced(900, (t) => fill(1000 - t))).toEqual([
      [2, 998],
      [880, 120],
    ]));

  it('is not announced once more when it was near from the start', () =>
    expect(announced(150, (t) => fill(160 - t))).toEqual([[2, 158]]));

  it('is announced once more when the end has come nearer by half of what was left', () =>
    expect(announced(300, (t) => fill(t < 100 ? 2000 - t : 900 - t))).toEqual([
      [2, 1998],
      [100, 800],
    ]));

  it('is not announced anew while it rests for less than it had grown', () =>
    expect(announced(600, (t) => (t % 200 < 100 ? fill(500) : null))).toEqual([[2, 500]]));

  it('is a new one after a longer rest, and of another process at once', () => {
    expect(announced(400, (t) => (t < 50 || t > 300 ? fill(500) : null))).toEqual([
      [2, 500],
      [303, 500],
    ]);
    expect(
      announced(
        100,
        () => fill(500),
        (t) => [t < 50 ? 7 : 8],
      ),
    ).toEqual([
      [2, 500],
      [50, 500],
    ]);
  });
});
