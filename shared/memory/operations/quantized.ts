/**
 * Linear layers with 4-bit weights, as bitsandbytes runs them: the weight is dequantised for each product, forward and backward,
 * and nothing of the input is kept.
 * https://github.com/bitsandbytes-foundation/bitsandbytes/blob/0.48.2/bitsandbytes/autograd/_functions.py
 */
import type { Module, QuantizedWeight } from '../tape/module';
import { hold, release } from '../tape/tape';
import { elements, FP32, type Tensor, width, withWidth } from '../tape/tensor';
import { cast } from './elementwise';
import { copyForward } from './layout';

/** The layer's output in the input's type; peft copies it before it adds an adapter's update. */
export function dequantizedProduct(module: Module, quantized: QuantizedWeight, x: Tensor): Tensor {
  const { tape } = module;
  const { computeBytes, scales, nested } = quantized;
  const weight = module.parameter('weight').shape;
  return tape.frame([x], () => {
    const input = hold(cast(x, computeBytes));
    const { shape } = input;
    const withWeight = (product: () => Tensor): Tensor => {
      const wideScales = nested ? tape.create([scales], FP32) : null;
      const whole = tape.create(weight, computeBytes);
      if (wideScales !== null) release(wideScales);
      const result = product();
      tape.useCublas();
      release(whole);
      return result;
    };
    const node = tape.record([input], [], () => [withWeight(() => tape.create(shape, computeBytes))]);
    const outer = elements(weight) / width(shape);
    const output = withWeight(() => tape.create(withWidth(shape, outer), computeBytes));
    if (node !== null) tape.attach(output, node, 0);
    return cast(module.adapter === null ? output : copyForward(output), x.elementBytes);
  });
}
