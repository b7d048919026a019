/**
 * What tensor parallelism puts around a linear layer that is cut: the collectives of `DTensor.redistribute`, each of which writes
 * into new memory.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/distributed/_functional_collectives.py
 */
import type { Module } from '../tape/module';
import { hold, release } from '../tape/tape';
import { type Tensor, width, withWidth } from '../tape/tensor';

/** The layer's input as the card's part of the weight takes it; the call that runs holds it. */
export function toShard({ sharded }: Module, x: Tensor): Tensor {
  switch (sharded?.layout) {
    case undefined:
    case 'row':
      return x;
    case 'column':
    case 'gathered':
      return hold(summedInBackward(x));
    case 'split':
      return hold(ownPart(x, sharded?.cards ?? 1));
  }
}

/** The layer's output as the model's code takes it. */
export function fromShard({ sharded }: Module, output: Tensor): Tensor {
  switch (sharded?.layout) {
    case undefined:
    case 'column':
      return output;
    case 'row':
    case 'split':
      return summed(output);
    case 'gathered':
      return gathered(output, sharded?.cards ?? 1);
  }
}

/** An input that is whole on every card: its gradient is the sum of all cards'. */
function summedInBackward(x: Tensor): Tensor {
  const { tape, elementBytes, shape } = x;
  const node = tape.record([x], [], () => [tape.create(shape, elementBytes)]);
  const same = tape.share(x, shape);
  if (node !== null) tape.attach(same, node, 0);
  tape.consume(x);
  return same;
}

/** The sum over all cards; its gradient is whole on each. */
function summed(output: Tensor): Tensor {
  const { tape, elementBytes, shape } = output;
  return tape.apply([output], [], shape, elementBytes, (gradient) => [gradient]);
}

/** A card's part of the last dimension; the gradients of all parts are put together. */
function ownPart(x: Tensor, cards: number): Tensor {
  const { tape, elementBytes, shape } = x;
  const part = withWidth(shape, width(shape) / cards);
  return tape.apply([x], [], part, elementBytes, () => [collected(() => tape.create(shape, elementBytes))]);
}

/** All cards' parts of the last dimension put together; of the gradient each card takes its part. */
function gathered(output: Tensor, cards: number): Tensor {
  const { tape, elementBytes, shape } = output;
  const whole = withWidth(shape, width(shape) * cards);
  const node = tape.record([output], [], () => [tape.create(shape, elementBytes)]);
  const result = collected(() => tape.create(whole, elementBytes));
  if (node !== null) tape.attach(result, node, 0);
  tape.consume(output);
  return result;
}

/** Parts arrive one behind the other and are then joined along the last dimension. */
function collected(makeWhole: () => Tensor): Tensor {
  const parts = makeWhole();
  const whole = makeWhole();
  release(parts);
  return whole;
}
