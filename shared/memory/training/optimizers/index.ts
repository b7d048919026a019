/** Optimizer steps: the state each keeps and what it allocates while it runs. */
import type { Tape } from '../../tape/tape';
import type { Parameter, Shape } from '../../tape/tensor';
import { adafactor } from './adafactor';
import { foreachAdamW, fusedAdamW, loopAdamW } from './adamw';
import { eightBitAdamW } from './eightBit';
import { lion, momentumSgd, muon, plainSgd } from './others';

/** The optimizers that can be asked for; `adamw` works on several tensors at once, `adamw-loop` on one after another. */
export const optimizerNames = [
  'adamw',
  'adamw-fused',
  'adamw-loop',
  'sgd',
  'sgd-momentum',
  'adafactor',
  'adamw-8bit',
  'paged-adamw-8bit',
  'lion',
  'muon',
] as const;

export type OptimizerName = (typeof optimizerNames)[number];

interface OptimizerFacts {
  readonly isAdamW: boolean;
  /** bitsandbytes' states of one byte each. */
  readonly hasEightBitState: boolean;
}

const optimizers: Readonly<Record<OptimizerName, OptimizerFacts>> = {
  adamw: { isAdamW: true, hasEightBitState: false },
  'adamw-fused': { isAdamW: true, hasEightBitState: false },
  'adamw-loop': { isAdamW: true, hasEightBitState: false },
  sgd: { isAdamW: false, hasEightBitState: false },
  'sgd-momentum': { isAdamW: false, hasEightBitState: false },
  adafactor: { isAdamW: false, hasEightBitState: false },
  'adamw-8bit': { isAdamW: true, hasEightBitState: true },
  'paged-adamw-8bit': { isAdamW: true, hasEightBitState: true },
  lion: { isAdamW: false, hasEightBitState: false },
  muon: { isAdamW: false, hasEightBitState: false },
};

export const hasEightBitState = (name: OptimizerName): boolean => optimizers[name].hasEightBitState;
/** PyTorch's AdamW, whose moments are as wide as the gradients. */
export const isWideAdamW = (name: OptimizerName): boolean =>
  optimizers[name].isAdamW && !optimizers[name].hasEightBitState;

/** An optimizer over the trained parameters, in their order. */
export interface Optimizer {
  /** One step; parameters without a gradient are skipped. State is made in the first. */
  step(): void;
}

/** What an optimizer is made over. */
export interface OptimizedModel {
  readonly parameters: readonly Parameter[];
  /** The whole matrix of a block that a parameter is, or is a shard of: what Muon takes. Null for all else. */
  readonly matrixOf: (parameter: Parameter) => Shape | null;
}

/** An optimizer whose steps count at its name. */
export function createOptimizer(tape: Tape, name: OptimizerName, model: OptimizedModel): Optimizer {
  const step = stepOf(tape, name, model);
  const place = tape.log.place(name);
  return { step: () => tape.call(place, [], () => tape.as('optimizer', step)) };
}

function stepOf(tape: Tape, name: OptimizerName, model: OptimizedModel): () => void {
  const { parameters } = model;
  switch (name) {
    case 'adamw':
      return foreachAdamW(tape, parameters);
    case 'adamw-fused':
      return fusedAdamW(tape, parameters);
    case 'adamw-loop':
      return loopAdamW(tape, parameters);
    case 'sgd':
      return plainSgd();
    case 'sgd-momentum':
      return momentumSgd(tape, parameters);
    case 'adafactor':
      return adafactor(tape, parameters);
    case 'adamw-8bit':
      return eightBitAdamW(tape, parameters, false);
    case 'paged-adamw-8bit':
      return eightBitAdamW(tape, parameters, true);
    case 'lion':
      return lion(tape, parameters);
    case 'muon':
      return muon(tape, parameters, model.matrixOf);
  }
}
