/** What can be wrong with a question, and what is odd about it. */
import { message, type Message } from '../i18n/message';
import type { Architecture } from '../model/architecture';
import type { EstimateRequest, Strategy, TrainingSettings } from './configuration';
import { missingTargets, targetNames } from './training/adapterPlan';

/** The reason why a question has no answer, or null. */
export function checkRequest(architecture: Architecture, request: EstimateRequest): Message | null {
  const { training, world, cardMib } = request;
  if (!isCount(training.microBatch)) return message('memory.badMicroBatch', { value: training.microBatch });
  if (!isImageModel(architecture) && !isCount(training.sequence))
    return message('memory.badSequence', { value: training.sequence });
  if (!isCount(training.accumulation))
    return message('memory.badAccumulation', { value: training.accumulation });
  if (!isCount(world)) return message('memory.badWorld', { value: world });
  if (request.strategy === 'single' && world !== 1) return message('memory.singleWorld', { world });
  if (cardMib.length > 1 && cardMib.length !== world)
    return message('memory.cardsAndWorld', { cards: cardMib.length, world });
  return checkStrategy(request) ?? checkAdapters(architecture, training);
}

/** Strategies whose step is played. */
const PLAYED: readonly Strategy[] = ['single', 'ddp', 'ddp-bucket-view', 'fsdp-full', 'fsdp-grad-op'];

function checkStrategy({ offload, strategy, training }: EstimateRequest): Message | null {
  if (!PLAYED.includes(strategy)) return message('memory.strategyNotModelled', { strategy });
  if (strategy.startsWith('fsdp') && training.checkpointing.kind === 'segments')
    return message('memory.segmentsNotSharded', { strategy });
  if (offload === 'none') return null;
  if (!strategy.startsWith('fsdp')) return message('memory.offloadNeedsSharding', { strategy, offload });
  // FSDP's policy moves parameters, gradients and optimizer together.
  return offload === 'all' ? null : message('memory.fsdpOffloadsAll', { offload });
}

function checkAdapters(architecture: Architecture, { method }: TrainingSettings): Message | null {
  if (method.kind === 'full') return null;
  const { rank, targets } = method.adapters;
  if (!isCount(rank)) return message('memory.badRank', { value: rank });
  const [missing] = missingTargets(architecture, targets);
  if (missing === undefined) return null;
  return message('memory.unknownTarget', {
    target: missing,
    known: targetNames(architecture).join(', '),
  });
}

/** What may surprise: a sequence beyond the positions that the model has. */
export function warningsOf(architecture: Architecture, training: TrainingSettings): readonly Message[] {
  const limits = architecture.stacks.flatMap(({ inputs, maxPositions }) =>
    inputs.kind === 'tokens' && maxPositions !== null ? [maxPositions] : [],
  );
  const limit = Math.min(...limits);
  if (training.sequence <= limit) return [];
  return [message('memory.sequenceBeyondPositions', { sequence: training.sequence, positions: limit })];
}

/** True where no stack reads tokens: the sequence length then follows from the images. */
export function isImageModel({ stacks }: Architecture): boolean {
  return stacks.length > 0 && stacks.every(({ inputs }) => inputs.kind === 'patches');
}

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1;
