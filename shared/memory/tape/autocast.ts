import { noCall } from './calls';
import type { Tape } from './tape';
import { FP32, HALF, Parameter, type Tensor } from './tensor';

/**
 * `torch.autocast`: inputs of products are cast to 16 bit. Copies of trained parameters are cached until it ends; those of frozen
 * ones are made anew each time.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/autocast_mode.cpp
 */
export class Autocast {
  enabled = false;
  private copies = new Map<Tensor, Tensor>();

  constructor(private readonly tape: Tape) {}

  /** The input of a product: fp32 becomes 16 bit where autocast is on. */
  castForProduct(tensor: Tensor): Tensor {
    if (!this.enabled || tensor.elementBytes !== FP32) return tensor;
    if (!(tensor instanceof Parameter) || !tensor.requiresGradient) return this.tape.cast(tensor, HALF);
    const cached = this.copies.get(tensor);
    if (cached !== undefined) return cached;
    const copy = this.tape.cast(tensor, HALF);
    copy.floating = false;
    copy.depth = noCall;
    this.copies.set(tensor, copy);
    return copy;
  }

  /** Runs `body` under autocast, or out of it, with copies of its own, as the outermost `with autocast` does. */
  within<T>(enabled: boolean, body: () => T): T {
    const [outer, outerCopies] = [this.enabled, this.copies];
    this.enabled = enabled;
    this.copies = new Map();
    try {
      return body();
    } finally {
      for (const copy of this.copies.values()) this.tape.release(copy);
      this.enabled = outer;
      this.copies = outerCopies;
    }
  }
}
