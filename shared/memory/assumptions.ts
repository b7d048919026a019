/** What an answer rests on: measured rows or documents, and what was taken for granted. */
import { message, type Message } from '../i18n/message';
import type { Architecture } from '../model/architecture';
import { parameterTensors } from '../model/inventory';
import { isTied, stageLayers } from '../model/stages';
import { unmeasuredConnections } from './cardEstimate';
import type { GpuModel } from '../gpu/models';
import { hasExperts } from './check';
import { type EstimateRequest, gradientSyncOf, isDdp, isFsdp, isZero } from './configuration';
import { hostBytes } from './hostMemory';
import { assumedLength, patchesOf } from './inputLengths';
import { stageShares } from './spread';
import type { OptimizerName } from './training/optimizers';
import { savedBytes } from './training/optimizers/eightBit';
import { writtenZeroConfig } from './training/zero/config';
import { strategies } from './strategies';

const measuredOptimizers: readonly OptimizerName[] = [
  'adamw',
  'adamw-fused',
  'adamw-loop',
  'sgd',
  'sgd-momentum',
  'adafactor',
];

/** True where measured rows cover the strategy, the method, the optimizer, the checkpointing and the offload. */
export function isMeasured({ offload, strategy, training }: EstimateRequest): boolean {
  const { method, checkpointing, optimizer } = training;
  const { evidence } = strategies[strategy];
  return (
    (evidence === 'rows' || (evidence === 'one-rank' && method.kind === 'full')) &&
    method.kind !== 'qlora' &&
    (checkpointing.kind === 'none' || checkpointing.kind === 'full') &&
    measuredOptimizers.includes(optimizer) &&
    offload !== 'nvme'
  );
}

/** In the order in which they matter. */
export function assumptionsOf(
  architecture: Architecture,
  request: EstimateRequest,
  card: GpuModel,
): readonly Message[] {
  const { card: asked, contextMib, offload, strategy, training, world } = request;
  const assumptions = [message('memory.assumeStack')];
  if (asked === null) assumptions.push(message('memory.assumeCard', { card: card.name }));
  else if (!card.measured) assumptions.push(message('memory.assumeCardValues', { card: card.name }));
  if (contextMib === null && !card.measured)
    assumptions.push(message('memory.assumeContext', { card: card.name }));
  assumptions.push(...inputAssumptions(architecture));
  if (hasExperts(architecture.stacks)) assumptions.push(message('memory.assumeRouting'));
  if (isFsdp(strategy)) assumptions.push(message('memory.assumeFsdpUnits'));
  assumptions.push(...syncAssumptions(request));
  if (isDdp(strategy) && world > 1) assumptions.push(message('memory.assumeDdpBuckets'));
  if (strategy === 'dp') assumptions.push(message('memory.assumeDataParallel'));
  if (isZero(strategy))
    assumptions.push(message('memory.assumeZero', { elements: writtenZeroConfig.reduceBucketElements }));
  if (strategy === 'zero3')
    assumptions.push(message('memory.assumeZeroUnits', { elements: writtenZeroConfig.maxLiveElements }));
  assumptions.push(...partitionAssumptions(architecture, request, card));
  if (training.checkpointing.kind === 'segments') assumptions.push(message('memory.assumeSegments'));
  if (training.method.kind === 'qlora') assumptions.push(message('memory.assumeQuantized'));
  assumptions.push(...optimizerAssumptions(architecture, request));
  if (offload !== 'none' && world > 1) assumptions.push(message('memory.assumeOneMachine', { world }));
  if (!isMeasured(request)) {
    const isOnlyTheStrategy =
      strategies[strategy].evidence === 'two-cards' && isMeasured({ ...request, strategy: 'single' });
    assumptions.push(message(isOnlyTheStrategy ? 'memory.assumeTwoCards' : 'memory.assumeDocuments'));
  }
  return assumptions;
}

/** When gradients are exchanged, where a step has several micro-batches. */
function syncAssumptions({ strategy, training }: EstimateRequest): readonly Message[] {
  if (training.accumulation === 1) return [];
  switch (gradientSyncOf(strategy, training)) {
    case null:
      return [];
    case 'each':
      return [message(isFsdp(strategy) ? 'memory.assumeFsdpSyncEach' : 'memory.assumeDdpSyncEach')];
    case 'last':
      return [message(isFsdp(strategy) ? 'memory.assumeFsdpSyncLast' : 'memory.assumeDdpSyncLast')];
  }
}

/** Where the moments of bitsandbytes' optimizers lie, and which of them have 8 bits. */
function optimizerAssumptions(architecture: Architecture, request: EstimateRequest): readonly Message[] {
  const { method, optimizer } = request.training;
  if (optimizer !== 'adamw-8bit' && optimizer !== 'paged-adamw-8bit') return [];
  const tables = method.kind === 'full' ? parameterTensors(architecture) : [];
  const more = tables.reduce(
    (sum, { elements, frozen, module, tiedTo }) =>
      module === 'embedding' && tiedTo === null && !frozen ? sum + savedBytes(elements) : sum,
    0,
  );
  const paged = request.offload === 'none' ? hostBytes(architecture, request) : 0;
  return [
    ...(more > 0 ? [message('memory.assumeEightBit', { bytes: more })] : []),
    ...(paged > 0 ? [message('memory.assumePaged', { bytes: paged })] : []),
  ];
}

/** How many images stand beside the text of a sample, where a language model sees them; and lengths that no configuration tells. */
function inputAssumptions({ head, stacks }: Architecture): readonly Message[] {
  const [images] = stacks.flatMap(({ inputs }) => (inputs.kind === 'patches' ? [inputs] : []));
  const reads = head.kind === 'language-model' && stacks.some(({ inputs }) => inputs.kind === 'tokens');
  if (images !== undefined && reads) return [message('memory.assumeImages', { patches: patchesOf(images) })];
  if (images !== undefined && images.patches === null)
    return [message('memory.assumePatches', { patches: assumedLength })];
  const hasOpenSound = stacks.some(({ inputs }) => inputs.kind === 'audio' && inputs.frames === null);
  return hasOpenSound ? [message('memory.assumeFrames', { frames: assumedLength })] : [];
}

/** What a model that is cut over cards rests on. */
function partitionAssumptions(
  architecture: Architecture,
  request: EstimateRequest,
  card: GpuModel,
): readonly Message[] {
  const tied = isTied(architecture);
  if (request.strategy === 'tensor')
    return [message('memory.assumeTensorPlan'), ...(tied ? [message('memory.assumeTensorTied')] : [])];
  if (request.strategy !== 'pipeline') return [];
  const layers = (stageLayers(architecture, stageShares(request)) ?? []).join(' + ');
  return [
    request.schedule === 'sequential'
      ? message('memory.assumePlacement', { layers })
      : message('memory.assumeStages', { layers }),
    ...(tied && request.world > 1 ? [message('memory.assumeStagesTied')] : []),
    ...(unmeasuredConnections(card, request, 1).lessBytes > 0
      ? [message('memory.assumeInnerStages', { bytes: card.context.furtherPeer })]
      : []),
  ];
}
