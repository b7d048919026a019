import { elements, type Shape } from '../../tape/tensor';
import { factoredBytes } from './adafactor';
import { eightBitBytes } from './eightBit';
import type { OptimizerName } from './index';

/** A tensor that is trained, or this process' shard of it. */
export interface TrainedTensor {
  readonly shape: Shape;
  readonly elementBytes: number;
  /** A matrix of a block, which Muon takes, or a shard of one. */
  readonly isBlockMatrix: boolean;
}

/** Bytes that an optimizer keeps of a tensor from step to step, wherever they lie; what is of a few bytes (step counts) left out. */
export function stateBytes(optimizer: OptimizerName, tensor: TrainedTensor): number {
  const { elementBytes, isBlockMatrix, shape } = tensor;
  const copy = elements(shape) * elementBytes;
  switch (optimizer) {
    case 'adamw':
    case 'adamw-fused':
    case 'adamw-loop':
      return 2 * copy;
    case 'sgd':
      return 0;
    case 'sgd-momentum':
    case 'lion':
      return copy;
    case 'muon':
      return isBlockMatrix ? copy : 2 * copy;
    case 'adafactor':
      return factoredBytes(shape);
    case 'adamw-8bit':
    case 'paged-adamw-8bit':
      return eightBitBytes(elements(shape));
  }
}
