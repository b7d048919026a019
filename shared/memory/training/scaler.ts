import { multiply } from '../operations/elementwise';
import { hold, release, type Tape } from '../tape/tape';
import { FP32, type Tensor } from '../tape/tensor';

/** Bytes of an element of double precision, in which the reciprocal is made. */
const FP64 = 8;

/**
 * `torch.amp.GradScaler` for fp16: a scale and a counter on the card from the first loss on, and a few scalars a step.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/amp/grad_scaler.py
 */
export class GradientScaler {
  private scaleTensor: Tensor | null = null;
  /** The flag of non-finite gradients that `unscale_` found, until the step has used it. */
  private found: Tensor | null = null;

  constructor(private readonly tape: Tape) {}

  scale(loss: Tensor): Tensor {
    if (this.scaleTensor === null) {
      this.scaleTensor = this.tape.createOwned([], FP32, 'buffers');
      this.tape.createOwned([], FP32, 'buffers');
    }
    return multiply(loss, this.scaleTensor);
  }

  /** The scale's reciprocal in fp64, and a flag; the gradients are unscaled in place. */
  unscale(): void {
    const { tape } = this;
    if (this.found !== null) return;
    this.found = tape.frame([], () => {
      const wide = tape.create([], FP64);
      const reciprocal = tape.create([], FP64);
      release(wide);
      hold(tape.create([], FP32));
      release(reciprocal);
      hold(tape.create([], FP32));
      const found = tape.create([], FP32);
      tape.scratch(FP32);
      return found;
    });
    hold(this.found);
  }

  /** Runs the optimizer's step between unscaling and the scale's update. */
  step(optimizerStep: () => void): void {
    this.unscale();
    optimizerStep();
    if (this.found !== null) release(this.found);
    this.found = null;
  }
}
