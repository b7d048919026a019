/** Activation functions by transformers' names (`ACT2FN`). */
import type { Tensor } from '../tape/tensor';
import { activation, activationKeepingOutput, add, addConstant, multiply, power, scale } from './elementwise';

/**
 * Applies the activation that a config names. Most are one kernel that keeps its input; those that transformers writes in
 * Python keep every intermediate tensor that a gradient needs.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/activations.py
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
