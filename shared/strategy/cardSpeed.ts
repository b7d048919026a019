/** What training reaches of a card's peak speeds. Only ratios of them matter here. */
import type { GpuModel } from '../gpu/models';

/** What training reaches. An operation is a product or a sum. */
export interface CardSpeed {
  readonly halfOperationsPerSecond: number;
  readonly singleOperationsPerSecond: number;
  readonly memoryBytesPerSecond: number;
}

/**
 * What products of a training step reach of the peak, in 16 and in 32 bits, and element-wise kernels of the memory's. With these the
 * step times that were measured on an H200 (`test/unit/shared/strategy/stepTime.test.ts`) come out between 0.6 and 1.0 of what was
 * measured; whole steps are published at 35 to 60 % of a card's 16-bit peak (torchtitan, llm-foundry), with what is around their
 * products. That other cards reach the same part of their peaks is assumed: it moves computing against traffic, and so where sharding
 * begins to pay.
 */
const reachedOfHalf = 0.45;
const reachedOfSingle = 0.7;
const reachedOfMemory = 0.8;

/** Speeds that training reaches. */
export const speedOf = (card: GpuModel): CardSpeed => ({
  halfOperationsPerSecond: card.peakHalfOperationsPerSecond * reachedOfHalf,
  singleOperationsPerSecond: card.peakSingleOperationsPerSecond * reachedOfSingle,
  memoryBytesPerSecond: card.peakMemoryBytesPerSecond * reachedOfMemory,
});
