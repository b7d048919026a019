/** How training is spread over cards, as one process of it sees it. */
import type { Stage } from '../../model/stages';
import type { Offload, Strategy } from '../configuration';
import type { Tensor, Parameter } from '../tape/tensor';
import type { ZeroConfig } from './zero/config';

/** The part of a question that says how the training is spread. */
export interface Spread {
  readonly strategy: Strategy;
  /** Processes that share the work. */
  readonly world: number;
  readonly offload: Offload;
  /** Which process (or card, where one process has several) is played: those of DataParallel and of a pipeline differ. */
  readonly rank: number;
  /** Set for `pipeline`. */
  readonly pipeline: PipelinePlace | null;
  /** DeepSpeed's settings where they are others than those that the launch files write. */
  readonly zero?: ZeroConfig;
}

/** A stage of a pipeline and how it works. */
export interface PipelinePlace {
  readonly stage: Stage;
  /** Micro-batches whose backward has yet to come, at most. */
  readonly inFlight: number;
  /** One process has all stages and copies between its cards; false: each has one, and they send and receive. */
  readonly oneProcess: boolean;
  /** Path of a head that stays with the table on the first of one process' cards; null: it is on the last. */
  readonly headOnFirst: string | null;
}

/** One process on one card. */
export const aloneSpread: Spread = { strategy: 'single', world: 1, offload: 'none', rank: 0, pipeline: null };

/** What a strategy does around the steps of one process. */
export interface Distribution {
  /** What the optimizer updates, in the model's order: parameters, or this process' shards of them. */
  readonly trained: readonly Parameter[];
  /** False where the optimizer and its state are in the machine's memory. */
  readonly optimizerOnCard: boolean;
  /** Plays the model's forward; `isLast`: gradients are exchanged in the backward that follows. */
  forward(body: () => Tensor, isLast: boolean): Tensor;
  /** Runs in backward when the last gradient is there. */
  finishBackward(): void;
  /**
   * Where the strategy updates in a way of its own (norms, upcast gradients, one group after the other): does so, `step` being the
   * optimizer's over what has a gradient at the time. Absent: the optimizer runs once over `trained`.
   */
  update?(step: () => void): void;
}

/** One process that shares nothing. */
export function alone(trained: readonly Parameter[]): Distribution {
  return {
    trained,
    optimizerOnCard: true,
    forward: (body) => body(),
    finishBackward: () => undefined,
  };
}
