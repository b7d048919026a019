/** Activation functions by transformers' names (`ACT2FN`). */
import { hold } from '../tape/tape';
import { BOOL, type Tensor } from '../tape/tensor';
import {
  activation,
  activationKeepingOutput,
  add,
  addConstant,
  multiply,
  power,
  scale,
  subtract,
} from './elementwise';

/**
 * Applies the activation that a config names. Most are one kernel that keeps its input; those that transformers writes in
 * Python keep every intermediate tensor that a gradient needs.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/activations.py
 */
export function act(name: string, x: Tensor): Tensor {
  switch (name) {
    case 'gelu_new':
      return geluNew(x);
    case 'relu':
    case 'tanh':
    case 'sigmoid':
      return activationKeepingOutput(x);
    case 'relu2':
      return reluSquared(x);
    case 'quick_gelu':
      return quickGelu(x);
    case 'xielu':
      return xielu(x);
    case 'linear':
      return x;
    default:
      return activation(x);
  }
}

/** `0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`, one kernel for each step. */
function geluNew(x: Tensor): Tensor {
  return x.tape.frame([x], () =>
    multiply(scale(x), addConstant(activationKeepingOutput(scale(add(x, scale(power(x))))))),
  );
}

/** `relu(x)^2`. */
function reluSquared(x: Tensor): Tensor {
  return x.tape.frame([x], () => power(activationKeepingOutput(x)));
}

/** `x * sigmoid(1.702 * x)`. */
function quickGelu(x: Tensor): Tensor {
  return x.tape.frame([x], () => multiply(x, activationKeepingOutput(scale(x))));
}

/**
 * Apertus' xIELU in Python: one formula for each sign, of which a mask chooses. Its two learned numbers, whose gradients need what is
 * kept anyway, are left out.
 */
function xielu(x: Tensor): Tensor {
  const { tape, elementBytes, shape } = x;
  return tape.frame([x], () => {
    const isPositive = tape.create(shape, BOOL);
    const positive = hold(add(multiply(scale(x), x), scale(x)));
    const difference = subtract(activationKeepingOutput(activation(x)), x);
    const negative = hold(add(activation(difference), scale(x)));
    return tape.apply([positive, negative], [isPositive], shape, elementBytes, () => [
      tape.create(shape, elementBytes),
      tape.create(shape, elementBytes),
    ]);
  });
}

/**
 * BLOOM's GELU, an autograd function of its own: keeps only its input, forward and backward are one kernel for each step.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bloom/modeling_bloom.py
 */
export function bloomGelu(x: Tensor): Tensor {
  const { tape, elementBytes, shape } = x;
  const make = (): Tensor => tape.create(shape, elementBytes);
  /** A new tensor from others that nothing else needs. */
  const from = (...used: readonly Tensor[]): Tensor => {
    const made = make();
    for (const tensor of used) tape.release(tensor);
    return made;
  };
  /** `tanh(0.79788456 * x * (1 + 0.044715 * x * x))`. */
  const innerTanh = (): Tensor => {
    const scaled = make();
    const cubic = from(from(make()));
    return from(from(scaled, cubic));
  };
  const node = tape.record([x], [x], () => {
    const tanh = innerTanh();
    const half = make();
    const rest = from(make());
    const slope = from(from(make()));
    const product = from(half, from(rest, slope));
    const sum = from(product, from(make()));
    const result = make();
    tape.release(sum);
    tape.release(tanh);
    return [result];
  });
  const half = make();
  const output = from(half, from(innerTanh()));
  if (node !== null) tape.attach(output, node, 0);
  tape.consume(x);
  return output;
}
