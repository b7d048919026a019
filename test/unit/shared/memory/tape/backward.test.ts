/** The graph and its backward: what is kept, in which order nodes run, how gradients meet. */
import { describe, expect, test } from 'vitest';
import { add, cast, multiply, scale } from '../../../../../shared/memory/operations/elementwise';
import { reshape } from '../../../../../shared/memory/operations/layout';
import { backward } from '../../../../../shared/memory/tape/backward';
import { hold, type Tape } from '../../../../../shared/memory/tape/tape';
import type { Tensor } from '../../../../../shared/memory/tape/tensor';
import { eventsSince, frozen, newTape, trained } from './tapes';

/** A loss of one element of which all gradients come back in the input's shape. */
function loss(x: Tensor): Tensor {
  const { tape, shape, elementBytes } = x;
  return tape.apply([x], [], [1], elementBytes, () => [tape.create(shape, elementBytes)]);
}

function step(tape: Tape, forward: () => Tensor): void {
  tape.frame([], () => {
    backward(tape, hold(forward()));
  });
}

describe('the graph', () => {
  test('keeps what an operation needs for backward and nothing else', () => {
    const tape = newTape();
    const weight = trained(tape, [100]);
    tape.frame([], () => {
      const x = tape.create([100], 2);
      const product = hold(multiply(x, weight));
      // The input stays for the weight's gradient.
      expect(tape.log.liveBytes).toBe(600);
      backward(tape, hold(loss(product)));
    });
    // The weight and its gradient.
    expect(tape.log.liveBytes).toBe(400);
  });

  test('keeps nothing where nothing is trained', () => {
    const tape = newTape();
    const weight = frozen(tape, [100]);
    tape.frame([], () => {
      hold(multiply(tape.create([100], 2), weight));
      expect(tape.log.liveBytes).toBe(400);
    });
  });

  test('is not recorded without gradients', () => {
    const tape = newTape();
    const weight = trained(tape, [100]);
    tape.frame([], () => {
      const product = tape.withoutGradients(() => multiply(tape.create([100], 2), weight));
      expect(product.requiresGradient).toBe(false);
      expect(product.node).toBeNull();
    });
  });

  test('is dropped, with what it keeps, when its result is', () => {
    const tape = newTape();
    const weight = trained(tape, [100]);
    tape.frame([], () => {
      hold(scale(multiply(tape.create([100], 2), weight)));
    });
    expect(tape.log.liveBytes).toBe(200);
  });

  test('needs something trained for backward', () => {
    const tape = newTape();
    tape.frame([], () => {
      const result = hold(scale(tape.create([1], 2)));
      expect(() => {
        backward(tape, result);
      }).toThrow('something trained');
    });
  });
});

describe('backward', () => {
  test('runs the youngest ready node first', () => {
    const tape = newTape();
    const order: string[] = [];
    const named = (name: string, x: Tensor): Tensor =>
      tape.apply([x], [], x.shape, x.elementBytes, (gradient) => {
        order.push(name);
        return [gradient];
      });
    const weight = trained(tape, [10]);
    step(tape, () => {
      const x = hold(named('first', weight));
      const long = hold(named('third', named('second', x)));
      const short = hold(named('fourth', x));
      return loss(add(long, short));
    });
    expect(order).toEqual(['fourth', 'third', 'second', 'first']);
  });

  test('gives a weight its first gradient without a copy and adds later ones in place', () => {
    const tape = newTape();
    const weight = trained(tape, [100]);
    const forward = (): Tensor => loss(scale(weight));
    step(tape, forward);
    const first = weight.gradient;
    expect(tape.log.liveBytes).toBe(400);
    step(tape, forward);
    expect(weight.gradient).toBe(first);
    expect(tape.log.liveBytes).toBe(400);
  });

  test('copies a gradient that others hold, such as that of a sum of two weights', () => {
    const tape = newTape();
    const [a, b] = [trained(tape, [100]), trained(tape, [100])];
    step(tape, () => loss(add(a, b)));
    expect(a.gradient?.storage).not.toBe(b.gradient?.storage);
    expect(tape.log.liveBytes).toBe(800);
  });

  test('adds gradients in place where it may, and into new memory where one of them is a view', () => {
    const tape = newTape();
    const weight = trained(tape, [100]);
    const twice = (shape: readonly number[] | null): number => {
      const before = tape.log.allocationCount;
      step(tape, () => {
        const x = hold(scale(weight));
        const other = hold(scale(x));
        const one = hold(shape === null ? scale(x) : reshape(x, shape));
        return loss(add(scale(one), other));
      });
      return tape.log.allocationCount - before;
    };
    twice(null);
    const plain = twice(null);
    // One operation less is computed for the view, and one sum more is allocated.
    expect(twice([10, 10])).toBe(plain - 1);
  });

  test('sums a gradient over what was broadcast', () => {
    const tape = newTape();
    const bias = trained(tape, [8], 4);
    step(tape, () => loss(add(tape.create([4, 8], 4), bias)));
    expect(bias.gradient?.shape).toEqual([8]);
    expect(bias.gradient?.bytes).toBe(32);
  });

  test('casts a gradient to the type of what it belongs to', () => {
    const tape = newTape();
    const weight = trained(tape, [100], 2);
    step(tape, () => loss(multiply(tape.create([100], 4), weight)));
    expect(weight.gradient?.elementBytes).toBe(2);
    step(tape, () => loss(cast(weight, 4)));
    expect(weight.gradient?.elementBytes).toBe(2);
  });

  test('frees everything but weights and gradients', () => {
    const tape = newTape();
    const weights = [trained(tape, [100]), trained(tape, [100])];
    step(tape, () =>
      loss(weights.reduce<Tensor>((x, weight) => scale(multiply(x, weight)), tape.create([100], 2))),
    );
    expect(tape.log.liveBytes).toBe(800);
    expect(tape.openHandles).toBe(0);
  });

  test('says when a weight has its gradient', () => {
    const tape = newTape();
    const weight = trained(tape, [10]);
    let calls = 0;
    weight.afterGradient = () => calls++;
    step(tape, () => loss(scale(weight)));
    expect(calls).toBe(1);
  });

  test('keeps the gradient of an input that is no weight as long as the graph', () => {
    const tape = newTape();
    tape.frame([], () => {
      const x = hold(tape.create([100], 2));
      tape.requireGradient(x);
      const result = hold(loss(scale(x)));
      const from = tape.log.eventCount;
      backward(tape, result);
      expect(eventsSince(tape, from).at(-1)).toBe('-2');
    });
    expect(tape.log.liveBytes).toBe(0);
  });
});

describe('autocast', () => {
  test('casts a trained weight once, a frozen one each time, and frees the casts at its end', () => {
    const tape = newTape();
    const [weight, base] = [trained(tape, [100], 4), frozen(tape, [100], 4)];
    const count = (body: () => void): number => {
      const before = tape.log.allocationCount;
      tape.underAutocast(true, () => {
        tape.frame([], body);
      });
      return tape.log.allocationCount - before;
    };
    const twice = (parameter: Tensor) => (): void => {
      for (let use = 0; use < 2; use++) hold(tape.castForProduct(parameter));
    };
    expect(count(twice(weight))).toBe(1);
    expect(count(twice(base))).toBe(2);
    expect(tape.log.liveBytes).toBe(800);
  });

  test('leaves 16-bit weights alone', () => {
    const tape = newTape();
    const weight = trained(tape, [100], 2);
    tape.underAutocast(true, () => {
      expect(tape.castForProduct(weight)).toBe(weight);
    });
  });
});
