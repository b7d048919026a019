/** How training is spread over cards, as one process of it sees it. */
import type { Offload, Strategy } from '../configuration';
import type { Tensor, Parameter } from '../tape/tensor';

/** The part of a question that says how the training is spread. */
export interface Spread {
  readonly strategy: Strategy;
  /** Processes that share the work. */
  readonly world: number;
  readonly offload: Offload;
  /** Which process is played; only DataParallel's differ. */
  readonly rank: number;
}

export const ALONE: Spread = { strategy: 'single', world: 1, offload: 'none', rank: 0 };

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
