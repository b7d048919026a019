/** In which element sizes a run builds and computes. */
import { isFsdp, isMixed, isZero, type Precision } from '../configuration';
import { FP32, HALF } from '../tape/tensor';
import type { Spread } from './distribution';

/** Element sizes in bytes. */
export interface RunTypes {
  /** Weights and buffers as built. */
  readonly builtBytes: number;
  /** Weights as the forward uses them. */
  readonly computeBytes: number;
  readonly autocast: boolean;
}

/** Element size of the weights as built, without a strategy of its own. */
export const weightBytes = (precision: Precision): number => (precision === 'bf16' ? HALF : FP32);

/**
 * FSDP's mixed precision takes the place of autocast over fp32 shards; DeepSpeed casts the whole model to 16 bits and keeps fp32
 * copies in its optimizer.
 */
export function typesOf(precision: Precision, { strategy }: Spread): RunTypes {
  const mixed = isMixed(precision);
  const built = weightBytes(precision);
  if (isZero(strategy)) {
    const bytes = precision === 'fp32' ? FP32 : HALF;
    return { builtBytes: bytes, computeBytes: bytes, autocast: false };
  }
  if (isFsdp(strategy)) return { builtBytes: built, computeBytes: mixed ? HALF : built, autocast: false };
  return { builtBytes: built, computeBytes: built, autocast: mixed };
}
