/** Who frees what, and when: names, arguments and expressions, as Python's reference counts do it. */
import { describe, expect, test } from 'vitest';
import { add, multiply, scale } from '../../../../../shared/memory/operations/elementwise';
import { hold, last, release } from '../../../../../shared/memory/tape/tape';
import { eventsSince, newTape } from './tapes';

describe('expressions', () => {
  test('an operation frees the unnamed results that it takes, after making its own', () => {
    const tape = newTape();
    tape.frame([], () => {
      hold(scale(scale(tape.create([100], 2))));
      expect(eventsSince(tape, 0)).toEqual(['+200', '+200', '-200', '+200', '-200']);
    });
    expect(tape.log.liveBytes).toBe(0);
  });

  test('a named result lives until its call ends', () => {
    const tape = newTape();
    tape.frame([], () => {
      const x = hold(tape.create([100], 2));
      hold(add(x, x));
      expect(tape.log.liveBytes).toBe(400);
    });
    expect(tape.log.liveBytes).toBe(0);
    expect(tape.openHandles).toBe(0);
  });

  test('the last use of a name frees it, which is what rebinding does', () => {
    const tape = newTape();
    tape.frame([], () => {
      let x = hold(tape.create([100], 2));
      x = hold(scale(last(x)));
      expect(tape.log.liveBytes).toBe(200);
      release(x);
      expect(tape.log.liveBytes).toBe(0);
    });
  });
});

describe('calls', () => {
  test('hold their arguments until they return, whatever their code does', () => {
    const tape = newTape();
    tape.frame([], () => {
      const input = tape.create([100], 2);
      const output = tape.frame([input], () => {
        const inner = scale(last(input));
        expect(tape.log.liveBytes).toBe(400);
        return inner;
      });
      expect(tape.log.liveBytes).toBe(200);
      expect(output.alive).toBe(true);
    });
    expect(tape.log.liveBytes).toBe(0);
  });

  test('return several results, all of them alive, and free the rest', () => {
    const tape = newTape();
    tape.frame([], () => {
      const results = tape.frame([], () => {
        hold(tape.create([1000], 2));
        return [tape.create([100], 2), tape.create([50], 2)];
      });
      expect(results.map(({ alive }) => alive)).toEqual([true, true]);
      expect(tape.log.liveBytes).toBe(300);
    });
  });

  test('do not free what belongs to a call around them', () => {
    const tape = newTape();
    tape.frame([], () => {
      const outer = hold(tape.create([100], 2));
      tape.frame([outer], () => last(outer));
      expect(outer.alive).toBe(true);
    });
  });

  test('free what they made when their code throws', () => {
    const tape = newTape();
    const failing = (): void =>
      tape.frame([], () => {
        hold(tape.create([100], 2));
        throw new Error('no such layer');
      });
    expect(failing).toThrow('no such layer');
    expect(tape.log.liveBytes).toBe(0);
  });

  test('count their memory at their place', () => {
    const tape = newTape();
    const place = tape.log.place('layers.0.mlp');
    tape.call(place, [], () => tape.create([100], 2));
    expect(tape.log.placeName(tape.log.placeIndex(0))).toBe('layers.0.mlp');
  });
});

describe('memory', () => {
  test('is freed with the last handle on it', () => {
    const tape = newTape();
    const owned = tape.createOwned([100], 2, 'buffers');
    const other = tape.part(owned, [50]);
    tape.release(owned);
    expect(tape.log.liveBytes).toBe(200);
    tape.release(other);
    expect(tape.log.liveBytes).toBe(0);
  });

  test('that is freed cannot be used', () => {
    const tape = newTape();
    tape.frame([], () => {
      const x = hold(tape.create([3, 4], 2));
      release(x);
      expect(() => multiply(x, x)).toThrow('A tensor of shape [3, 4] is used after it was freed.');
      expect(() => {
        release(x);
      }).toThrow('after it was freed');
    });
  });

  test('can go and come back behind its handles, as sharded weights do', () => {
    const tape = newTape();
    const weight = tape.createEmptyParameter('weight', [100], 2, false);
    expect(tape.log.liveBytes).toBe(0);
    tape.refill(weight, 200, 'parameters');
    tape.refill(weight, 200, 'parameters');
    expect(tape.log.liveBytes).toBe(200);
    tape.empty(weight);
    tape.empty(weight);
    expect(tape.log.liveBytes).toBe(0);
  });

  test('of nothing is no event', () => {
    const tape = newTape();
    tape.frame([], () => tape.create([0, 7], 2));
    expect(tape.log.eventCount).toBe(0);
  });
});

describe('workspaces', () => {
  test('are taken once for each thread and stream', () => {
    const tape = newTape();
    tape.useCublas();
    tape.useCublas();
    expect(eventsSince(tape, 0)).toEqual([`+${32 * 2 ** 20}`]);
    tape.thread = 1;
    tape.useCublas();
    tape.onStream(3, () => {
      tape.useCublas();
    });
    expect(tape.log.allocationCount).toBe(3);
  });
});
