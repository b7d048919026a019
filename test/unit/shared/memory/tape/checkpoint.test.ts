/** Checkpointed blocks: what stays in forward, how far they are recomputed, when what they hold goes. */
import { describe, expect, test } from 'vitest';
import { multiply, scale } from '../../../../../shared/memory/operations/elementwise';
import { backward } from '../../../../../shared/memory/tape/backward';
import { checkpoint } from '../../../../../shared/memory/tape/checkpoint';
import { hold, last, type Tape } from '../../../../../shared/memory/tape/tape';
import type { Parameter, Tensor } from '../../../../../shared/memory/tape/tensor';
import { eventsSince, newTape, trained } from './tapes';

function loss(x: Tensor): Tensor {
  const { tape, shape, elementBytes } = x;
  return tape.apply([x], [], [1], elementBytes, () => [tape.create(shape, elementBytes)]);
}

/** Three products with a weight; what follows the last kept tensor is not needed again. */
function block(x: Tensor, weight: Parameter): Tensor {
  return x.tape.frame([x], () => {
    let hidden = hold(multiply(x, weight));
    hidden = hold(multiply(last(hidden), weight));
    return scale(multiply(last(hidden), weight));
  });
}

function twoBlocks(tape: Tape, weight: Parameter, checkpointed: boolean): void {
  tape.frame([], () => {
    let hidden = hold(tape.create([100], 2));
    for (let layer = 0; layer < 2; layer++) {
      const run = (x: Tensor): Tensor => block(x, weight);
      hidden = hold(
        checkpointed ? checkpoint(tape, [last(hidden)], [], ([x = hidden]) => run(x)) : run(last(hidden)),
      );
    }
    backward(tape, hold(loss(last(hidden))));
  });
}

describe('a checkpointed block', () => {
  test('keeps only its input through forward', () => {
    const tape = newTape();
    const weight = trained(tape, [100]);
    tape.frame([], () => {
      const x = tape.create([100], 2);
      hold(checkpoint(tape, [x], [], ([input = x]) => block(input, weight)));
      // Weight, input and output.
      expect(tape.log.liveBytes).toBe(600);
    });
    expect(tape.log.liveBytes).toBe(200);
  });

  test('is recomputed as far as its last kept tensor, and no further', () => {
    const tape = newTape();
    const weight = trained(tape, [100]);
    const runs: string[] = [];
    tape.frame([], () => {
      const x = tape.create([100], 2);
      const output = hold(
        checkpoint(tape, [x], [], ([input = x]) =>
          tape.frame([input], () => {
            runs.push('start');
            const product = hold(multiply(input, weight));
            runs.push('end');
            return scale(product);
          }),
        ),
      );
      backward(tape, hold(loss(output)));
    });
    expect(runs).toEqual(['start', 'end', 'start']);
  });

  test('gives the same gradients and frees all it held', () => {
    const [plain, checkpointed] = [newTape(), newTape()];
    const weights = [trained(plain, [100]), trained(checkpointed, [100])] as const;
    twoBlocks(plain, weights[0], false);
    twoBlocks(checkpointed, weights[1], true);
    expect(checkpointed.log.liveBytes).toBe(plain.log.liveBytes);
    expect(checkpointed.openHandles).toBe(0);
    expect(weights[1].gradient?.shape).toEqual(weights[0].gradient?.shape);
  });

  test('holds the tensors it closes over until its backward has ended', () => {
    const tape = newTape();
    const weight = trained(tape, [100]);
    tape.frame([], () => {
      const x = tape.create([100], 2);
      const output = hold(
        tape.frame([], () => {
          const named = hold(tape.create([7], 2));
          return checkpoint(tape, [x], [named], ([input = x], [held = named]) => {
            expect(held?.alive).toBe(true);
            return block(input, weight);
          });
        }),
      );
      const result = hold(loss(output));
      const from = tape.log.eventCount;
      backward(tape, result);
      expect(eventsSince(tape, from)).toContain('-14');
    });
    expect(tape.log.liveBytes).toBe(400);
  });

  test('leaves no trace where nothing in it is trained', () => {
    const tape = newTape();
    const weight = tape.createParameter('frozen', [100], 2, false);
    tape.frame([], () => {
      const x = tape.create([100], 2);
      hold(checkpoint(tape, [x], [], ([input = x]) => block(input, weight)));
      expect(tape.log.liveBytes).toBe(400);
    });
  });
});
