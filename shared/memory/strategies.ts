/** What each strategy does with the state of a training: one row a strategy, from which predicates and checks follow. */
import type { Offload, Strategy } from './configuration';

interface StrategyFacts {
  /** What of the state each card holds a part of only. */
  readonly divides: {
    readonly weights: boolean;
    readonly gradients: boolean;
    readonly optimizer: boolean;
  };
  /** What it can move to the machine's memory or to a disk. */
  readonly offloads: readonly Exclude<Offload, 'none'>[];
  /**
   * `rows`: held against measured rows on this stack; `one-rank`: against one rank of full fine-tuning whose collectives move nothing;
   * `two-cards`: against runs on two cards of one kind; `documents`: against none.
   */
  readonly evidence: 'rows' | 'one-rank' | 'two-cards' | 'documents';
}

const nothing = { weights: false, gradients: false, optimizer: false } as const;
const everything = { weights: true, gradients: true, optimizer: true } as const;

export const strategies: Readonly<Record<Strategy, StrategyFacts>> = {
  single: { divides: nothing, offloads: [], evidence: 'rows' },
  dp: { divides: nothing, offloads: [], evidence: 'two-cards' },
  ddp: { divides: nothing, offloads: [], evidence: 'rows' },
  'ddp-bucket-view': { divides: nothing, offloads: [], evidence: 'rows' },
  // FSDP's policy moves parameters, gradients and optimizer together.
  'fsdp-full': { divides: everything, offloads: ['all'], evidence: 'rows' },
  'fsdp-grad-op': { divides: everything, offloads: ['all'], evidence: 'rows' },
  zero1: { divides: { ...nothing, optimizer: true }, offloads: ['optimizer'], evidence: 'one-rank' },
  zero2: { divides: { ...everything, weights: false }, offloads: ['optimizer'], evidence: 'one-rank' },
  zero3: { divides: everything, offloads: ['optimizer', 'all', 'nvme'], evidence: 'one-rank' },
  tensor: { divides: everything, offloads: [], evidence: 'documents' },
  pipeline: { divides: everything, offloads: [], evidence: 'two-cards' },
};

/** Whether each card holds a part of the weights only. */
export const dividesWeights = (strategy: Strategy): boolean => strategies[strategy].divides.weights;
/** Whether each card runs the optimizer over a part only. */
export const dividesOptimizer = (strategy: Strategy): boolean => strategies[strategy].divides.optimizer;
