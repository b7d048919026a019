/** How many samples a step has, and how they are cut into micro-batches. */
import type { EstimateRequest, Strategy } from '../memory/configuration';
import type { PlanQuestion } from './types';

/** As the Trainer of transformers does where nothing is said (`per_device_train_batch_size`). */
const samplesPerCard = 8;

/** What was wished of the batch; null: left to the planner. */
export interface BatchWishes {
  readonly globalBatch: number | null;
  readonly microBatch: number | null;
  readonly accumulation: number;
  readonly strategy: Strategy | null;
  readonly world: number;
}

/** Samples of one optimizer step, the same for every plan: as given, as the wishes amount to, or eight a card. */
export function batchOfWishes(wishes: BatchWishes): number {
  const { accumulation, globalBatch, microBatch, strategy, world } = wishes;
  if (globalBatch !== null) return globalBatch;
  if (microBatch === null) return samplesPerCard * world;
  // Where the strategy is wished, too, only ranks that take samples of their own multiply them.
  return microBatch * accumulation * (strategy === null ? world : ranksOf({ strategy, world }));
}

/** The same for a question. */
export function globalBatchOf({ cards, globalBatch, request, wished }: PlanQuestion): number {
  const { accumulation, microBatch } = request.training;
  return batchOfWishes({
    globalBatch,
    microBatch: wished.has('microBatch') ? microBatch : null,
    accumulation,
    strategy: wished.has('strategy') ? request.strategy : null,
    world: wished.has('world') ? request.world : cards.length,
  });
}

/** A request with another micro-batch, accumulating so that the global batch stays; null where that does not come out even. */
export function withMicroBatch(
  request: EstimateRequest,
  microBatch: number,
  globalBatch: number,
): EstimateRequest | null {
  const accumulation = globalBatch / (microBatch * ranksOf(request));
  if (!Number.isInteger(accumulation)) return null;
  return { ...request, training: { ...request.training, microBatch, accumulation } };
}

/** Ranks that take different samples. */
export function ranksOf({ strategy, world }: Pick<EstimateRequest, 'strategy' | 'world'>): number {
  return strategy === 'tensor' || strategy === 'pipeline' ? 1 : world;
}

/** PyTorch's 1F1B schedule refuses fewer micro-batches than stages. */
export function fewestMicroBatches({ schedule, strategy, world }: EstimateRequest): number {
  return strategy === 'pipeline' && schedule === '1f1b' ? world : 1;
}

/** Micro-batches that keep the global batch, ascending, as far as the wishes allow them. */
export function microBatchesOf(question: PlanQuestion, request: EstimateRequest): readonly number[] {
  const { wished } = question;
  const { training } = question.request;
  const samples = globalBatchOf(question) / ranksOf(request);
  if (!Number.isInteger(samples)) return [];
  const found: number[] = [];
  for (let microBatch = 1; microBatch <= samples; microBatch++) {
    if (samples % microBatch !== 0) continue;
    if (wished.has('microBatch') && microBatch !== training.microBatch) continue;
    if (wished.has('accumulation') && samples / microBatch !== training.accumulation) continue;
    if (samples / microBatch < fewestMicroBatches(request)) continue;
    found.push(microBatch);
  }
  return found;
}
