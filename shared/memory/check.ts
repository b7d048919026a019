/** What can be wrong with a question, and what is odd about it. */
import { message, type Message } from '../i18n/message';
import type { Architecture } from '../model/architecture';
import { parameterTensors } from '../model/inventory';
import { type EstimateRequest, isFsdp, type LowRankSettings, type TrainingSettings } from './configuration';
import { adapterPlans, missingTargets, targetNames } from './training/adapterPlan';
import { checkPartition } from './checkPartition';
import { checkCode } from './codeLimits';
import { elements } from './tape/tensor';
import { shardElements } from './training/sharding/shardedParameter';
import { strategies } from './strategies';

/** Tokens of a micro-batch that are played at most: their logits alone are beyond any card, and the play's own memory grows with them. */
export const mostTokens = 2 ** 27;

/** The reason why a question has no answer, or null. */
export function checkRequest(architecture: Architecture, request: EstimateRequest): Message | null {
  const { training, world, cardMib } = request;
  if (!isCount(training.microBatch)) return message('memory.badMicroBatch', { value: training.microBatch });
  if (!isImageModel(architecture) && !isCount(training.sequence))
    return message('memory.badSequence', { value: training.sequence });
  if (!isImageModel(architecture) && training.microBatch * training.sequence > mostTokens) {
    const { microBatch, sequence } = training;
    return message('memory.tooManyTokens', { microBatch, sequence, most: mostTokens });
  }
  if (!isCount(training.accumulation))
    return message('memory.badAccumulation', { value: training.accumulation });
  if (!isCount(world)) return message('memory.badWorld', { value: world });
  if (request.strategy === 'single' && world !== 1) return message('memory.singleWorld', { world });
  if (cardMib.length > 1 && cardMib.length !== world)
    return message('memory.cardsAndWorld', { cards: cardMib.length, count: world });
  return (
    checkStrategy(request) ??
    checkPartition(architecture, request) ??
    checkCode(architecture, training) ??
    checkExperts(architecture) ??
    checkAdapters(architecture, training)
  );
}

function checkStrategy({ offload, strategy }: EstimateRequest): Message | null {
  const { offloads } = strategies[strategy];
  if (offload === 'none' || offloads.includes(offload)) return null;
  return offloads.length === 0
    ? message('memory.offloadNeedsSharding', { strategy, offload })
    : message('memory.badOffload', { strategy, offload, known: offloads.join(', ') });
}

/** A step cannot be played where nobody says how many experts a token goes to. */
function checkExperts({ stacks }: Architecture): Message | null {
  const isOpen = stacks.some(({ layers }) =>
    layers.some(({ feedForward }) => feedForward.kind === 'experts' && feedForward.expertsPerToken === null),
  );
  return isOpen ? message('model.fieldMissing', { field: 'num_experts_per_tok' }) : null;
}

function checkAdapters(architecture: Architecture, { method }: TrainingSettings): Message | null {
  if (method.kind === 'full') return null;
  const { rank, targets } = method.adapters;
  if (!isCount(rank)) return message('memory.badRank', { value: rank });
  const missing = missingTargets(architecture, targets);
  // As peft does: names of other models are passed over, as long as one is this model's.
  if (targets === 'all-linear' || missing.length < targets.length)
    return dropoutOfParameters(architecture, method.adapters);
  return message('memory.unknownTarget', {
    target: missing.join(', '),
    known: targetNames(architecture).join(', '),
  });
}

/** peft drops nothing out in front of a parameter that is no layer, and refuses to try. */
function dropoutOfParameters(
  architecture: Architecture,
  { dropout, rank, targets }: LowRankSettings,
): Message | null {
  if (dropout === 0) return null;
  const adapted = adapterPlans(architecture, rank, targets).find(({ parameter }) => parameter !== null);
  if (adapted === undefined) return null;
  return message('memory.dropoutOfParameter', {
    parameter: `${adapted.modulePath}.${adapted.parameter ?? ''}`,
  });
}

/** What may surprise: a sequence beyond the positions that the model has, fewer micro-batches than a pipeline has stages. */
export function warningsOf(architecture: Architecture, request: EstimateRequest): readonly Message[] {
  return [
    ...positionWarnings(architecture, request.training),
    ...targetWarnings(architecture, request.training),
    ...cardWarnings(request),
    ...pipelineWarnings(request),
    ...paddingWarnings(architecture, request),
  ];
}

function targetWarnings(architecture: Architecture, { method }: TrainingSettings): readonly Message[] {
  if (method.kind === 'full') return [];
  const missing = missingTargets(architecture, method.adapters.targets);
  return missing.length === 0 ? [] : [message('memory.droppedTargets', { targets: missing.join(', ') })];
}

/** What the card, or the type, has no kernels for. Cards before Ampere have neither flash attention nor 16-bit brain floats of their own. */
function cardWarnings({ card, training }: EstimateRequest): readonly Message[] {
  const { attention, precision } = training;
  const isOld = card !== null && !card.flashAttention;
  const bf16 = precision === 'bf16' || precision === 'amp-bf16';
  return [
    ...(isOld && bf16 ? [message('memory.bf16OnOldCard', { card: card.name })] : []),
    ...(isOld && attention === 'flash' ? [message('memory.flashOnOldCard', { card: card.name })] : []),
    ...(!isOld && attention === 'flash' && precision === 'fp32' ? [message('memory.flashInFp32')] : []),
  ];
}

/** Padding beyond this share of the weights is worth a word. */
const muchPadding = 0.1;

/** FSDP divides first dimensions, of which stacks of experts have few: with more cards than experts a card holds no less than before. */
function paddingWarnings(
  architecture: Architecture,
  { strategy, world }: EstimateRequest,
): readonly Message[] {
  if (!isFsdp(strategy)) return [];
  const own = parameterTensors(architecture).filter(({ tiedTo }) => tiedTo === null);
  const sum = (count: (shape: readonly number[]) => number): number =>
    own.reduce((total, { shape }) => total + count(shape), 0);
  const held = sum((shape) => shardElements(shape, world, 'rows') * world);
  const share = 1 - sum(elements) / held;
  return share > muchPadding ? [message('memory.fsdpPadding', { world, share })] : [];
}

function pipelineWarnings({ schedule, strategy, training, world }: EstimateRequest): readonly Message[] {
  const { accumulation } = training;
  if (strategy !== 'pipeline' || schedule !== '1f1b' || accumulation >= world) return [];
  return [message('memory.fewMicroBatches', { accumulation, world })];
}

function positionWarnings(architecture: Architecture, training: TrainingSettings): readonly Message[] {
  const limits = architecture.stacks.flatMap(({ inputs, maxPositions }) =>
    inputs.kind === 'tokens' && maxPositions !== null ? [maxPositions] : [],
  );
  const limit = Math.min(...limits);
  if (training.sequence <= limit) return [];
  return [message('memory.sequenceBeyondPositions', { sequence: training.sequence, positions: limit })];
}

/** Whether any layer is a mixture of experts. */
export const hasExperts = (stacks: Architecture['stacks']): boolean =>
  stacks.some(({ layers }) => layers.some(({ feedForward }) => feedForward.kind === 'experts'));

/** True where no stack reads tokens: the sequence length then follows from the images. */
export function isImageModel({ stacks }: Architecture): boolean {
  return stacks.length > 0 && stacks.every(({ inputs }) => inputs.kind === 'patches');
}

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1;
