/**
 * How long a step takes, for comparing plans: the slower of computing and of what can be exchanged meanwhile, plus what cannot.
 *
 * The rule and its sources: step = max(compute, overlapping exchange) + exposed exchange + optimizer + bubble, from the papers on
 * ZeRO (https://arxiv.org/abs/1910.02054), Megatron (https://arxiv.org/abs/2104.04473) and activation recomputation
 * (https://arxiv.org/abs/2205.05198). Held against measured ratios in `stepTime.test.ts`.
 */
import type { GpuModel } from '../gpu/models';
import { type EstimateRequest, gradientSyncOf, isFsdp, isMixed, isZero } from '../memory/configuration';
import type { OptimizerName } from '../memory/training/optimizers';
import { speedOf, type CardSpeed } from './cardSpeed';
import type { LinkSpeeds } from './links';
import type { SampleWork } from './work';
import { dividesOptimizer, strategies } from '../memory/strategies';

export interface StepFacts {
  readonly work: SampleWork;
  readonly trainable: number;
  /** The model of the cards. */
  readonly card: GpuModel;
  readonly links: LinkSpeeds;
  /** The share of the model that the largest stage of a pipeline has; 1 for other strategies. */
  readonly largestStage: number;
}

/**
 * Bytes that one trained fp32 parameter moves in an optimizer step: each operand read and each result written once a kernel. AdamW reads
 * weight, gradient and two moments and writes three of them, 28 bytes; in one fused kernel that is all.
 */
const optimizerBytes: Readonly<Record<OptimizerName, number>> = {
  'adamw-fused': 28,
  // `foreach` goes over all lists once for each of a dozen operations: three times as many bytes.
  adamw: 84,
  // The same operations tensor by tensor, with a launch each.
  'adamw-loop': 96,
  sgd: 12,
  // The momentum is read and written, then read once more beside the weight.
  'sgd-momentum': 24,
  // Squares, their sums by rows and columns, the update and its clipping: six passes of 8 bytes.
  adafactor: 48,
  // Weight read and written, gradient read: 12 bytes; two moments of a byte read and written, and their scales.
  'adamw-8bit': 18,
  'paged-adamw-8bit': 20,
  lion: 20,
  // Momentum, and five Newton-Schulz iterations that read and write the update.
  muon: 72,
};

// What is counted below is counted by hand from the kernels that PyTorch starts, and held against the measured steps of
// `stepTime.test.ts` together; none was measured alone.

/** What a kept element costs: written and read by the kernels around it, in forward and in backward. */
const passesPerKeptElement = 6;
/** Eager attention writes or reads scores six times in forward and twelve times in backward, in 32 bits. */
const eagerScoreBytes = 18 * 4;
/** Logits, their 32-bit copy, log-softmax and the gradients of all: bytes moved for each logit. */
const logitBytes = 30;
/**
 * PyTorch and transformers start a layer's kernels in forward and backward no faster than this: some hundred launches of ten
 * microseconds on one core. Assumed; it decides only for models so small that a card waits for Python.
 */
const layerSeconds = 1e-3;
/**
 * Sharding by layers costs this for each layer and micro-batch even where nothing travels: hooks, copies in and out, waiting. FSDP2 of
 * Llama-3.2 1B (16 layers) took 0.140 instead of 0.117 s on an H200 with collectives that move nothing.
 */
const gatherSeconds = 1e-3;
/** Of an exchange beside computing the first and last pieces stay visible: about two of some twenty layers. Assumed. */
const exposedShare = 0.1;
/**
 * QLoRA dequantises weights for every product. Published: 50 % longer steps (Raschka, 7B), 56 and 100 % (litgpt's resource tables, 7B and
 * 13B), none in one stack of others; the lower end, so that it is not ruled out where it is needed.
 */
const dequantising = 1.5;
/**
 * What AdamW on the processor reaches of the machine's memory: 0.4 of eight channels of DDR4-3200 (205 GB/s). With it, offloading all of
 * Llama-3.2 1B makes a step on an H200 about 7 times as long; 8 times was measured. A desktop with two channels is slower.
 */
const hostMemoryBytesPerSecond = 80e9;
/** An NVMe drive on four lanes of PCI Express 4, in one direction; three to four times slower than host memory in DeepSpeed #2082. */
const nvmeBytesPerSecond = 5e9;
/**
 * Of strategies that were not held against rows documents alone are known, so they are taken to be as much slower as their memory is wider:
 * of two that come out alike the measured one is ranked first.
 */
const doubtOfDocumented = 1.08;

/** Seconds of one sample, all cards together. Relative values are meaningful, absolute ones are rough. */
export function secondsPerSample(request: EstimateRequest, facts: StepFacts): number {
  const { strategy, training, world } = request;
  const { accumulation, microBatch } = training;
  const micro = microSeconds(request, facts);
  const exchange = exchangeSeconds(request, facts);
  const eachMicro = Math.max(micro, exchange.eachMicro) + exposedShare * Math.min(micro, exchange.eachMicro);
  // The last backward hides what is exchanged once a step: two thirds of a micro-batch's time.
  const hidden = (2 / 3) * micro;
  const once = Math.max(exposedShare * exchange.once, exchange.once - hidden) + exchange.exposed;
  const step = eachMicro * accumulation * bubble(request) + once + optimizerSeconds(request, facts);
  const replicas = strategy === 'tensor' || strategy === 'pipeline' ? 1 : world;
  const doubt = strategies[strategy].evidence === 'rows' ? 1 : doubtOfDocumented;
  return (step * doubt) / (microBatch * accumulation * replicas);
}

const elementBytes = ({ training }: EstimateRequest): number => (training.precision === 'fp32' ? 4 : 2);
const weightBytes = ({ training }: EstimateRequest): number => (training.precision === 'bf16' ? 2 : 4);
const isSharded = ({ strategy }: EstimateRequest): boolean => isFsdp(strategy) || strategy === 'zero3';

/** Forward and backward of one micro-batch on one card. */
function microSeconds(request: EstimateRequest, facts: StepFacts): number {
  const { card, work } = facts;
  const { training } = request;
  const speed = speedOf(card);
  const samples = training.microBatch * shareOfWork(request, facts);
  const operations = passes(request) * (work.weightOperations + work.attentionOperations) * samples;
  const peak =
    training.precision === 'fp32' ? speed.singleOperationsPerSecond : speed.halfOperationsPerSecond;
  const slower = training.method.kind === 'qlora' ? dequantising : 1;
  const busy =
    (operations / peak) * slower + movedBytes(request, facts, samples) / speed.memoryBytesPerSecond;
  const hooks = isSharded(request) ? gatherSeconds * work.layers : 0;
  const layers = work.layers * shareOfLayers(request, facts);
  return Math.max(busy, (layerSeconds * layers * passes(request)) / 3) + hooks;
}

/** The part of a micro-batch's work that goes on at once: tensor parallelism divides it, the slowest stage sets a pipeline's pace. */
function shareOfWork(request: EstimateRequest, facts: StepFacts): number {
  return request.strategy === 'tensor' ? 1 / request.world : shareOfLayers(request, facts);
}

function shareOfLayers({ schedule, strategy }: EstimateRequest, { largestStage }: StepFacts): number {
  return strategy === 'pipeline' && schedule !== 'sequential' ? largestStage : 1;
}

/** Forwards that a step's products amount to: backward is two, one where weights are frozen; recomputation is one more. */
function passes({ training }: EstimateRequest): number {
  const backward = training.method.kind === 'full' ? 2 : 1;
  const { checkpointing } = training;
  // Attention is a small part of the operations, so recomputing it alone costs little.
  const again = checkpointing.kind === 'none' ? 0 : checkpointing.kind === 'selective' ? 0.1 : 1;
  return 1 + backward + again;
}

function movedBytes(request: EstimateRequest, facts: StepFacts, samples: number): number {
  const { training, strategy } = request;
  const { trainable, work } = facts;
  // Autocast keeps residual stream and norms in 32 bits: 26h + 8f instead of 16h + 8f.
  const bytes = isMixed(request.training.precision) ? 2.8 : elementBytes(request);
  const recomputed =
    training.checkpointing.kind === 'full' || training.checkpointing.kind === 'segments' ? 4 / 3 : 1;
  const kept = work.keptElements * bytes * passesPerKeptElement * recomputed;
  const scores = writesScores(request)
    ? work.scoreElements * eagerScoreBytes * (elementBytes(request) / 2)
    : 0;
  const activations = samples * (kept + scores + work.logitElements * logitBytes);
  // Autocast casts a card's weights for every micro-batch; DDP without views and ZeRO copy gradients into buckets.
  const casts = isMixed(request.training.precision) ? 6 * work.parameters * castShare(request, facts) : 0;
  const copies = strategy === 'ddp' || isZero(strategy) ? 4 * weightBytes(request) * trainable : 0;
  // FSDP copies every gathered unit in and out, twice where it gathers twice.
  const gathers = isSharded(request) ? 8 * elementBytes(request) * work.parameters : 0;
  return activations + casts + copies + gathers;
}

/** Weights that a card casts: those that it has; FSDP its shards for each of two gatherings; DeepSpeed has them in 16 bits. */
function castShare(request: EstimateRequest, facts: StepFacts): number {
  const { strategy, world } = request;
  if (isZero(strategy)) return 0;
  return isFsdp(strategy) ? 2 / world : shareOfWork(request, facts);
}

const writesScores = ({ training: { attention } }: EstimateRequest): boolean =>
  attention === 'eager' || attention === 'math';

/** Traffic of a step in seconds. */
interface Exchange {
  /** With every micro-batch, beside computing. */
  readonly eachMicro: number;
  /** Once a step, beside the last backward. */
  readonly once: number;
  /** Once a step with nothing to hide behind. */
  readonly exposed: number;
}

/** Traffic between cards and with the machine's memory, in seconds. */
function exchangeSeconds(request: EstimateRequest, facts: StepFacts): Exchange {
  const { strategy, world, training } = request;
  const { links, trainable, work } = facts;
  const between = (world - 1) / world / links.betweenCardsBytesPerSecond;
  const gradients = trainable * gradientBytes(request) * between;
  const weights = storedBytes(request, work, elementBytes(request)) * between;
  const host = offloadSeconds(request, facts);
  const isOnce = gradientSyncOf(strategy, training) === 'last';
  /** Gradients as often as they are exchanged, and what travels with every micro-batch beside them. */
  const exchanged = (seconds: number, eachMicro = 0): Pick<Exchange, 'eachMicro' | 'once'> =>
    isOnce ? { eachMicro, once: seconds } : { eachMicro: eachMicro + seconds, once: 0 };
  switch (strategy) {
    case 'single':
      return { eachMicro: 0, once: 0, exposed: host };
    case 'ddp':
    case 'ddp-bucket-view':
      return { ...exchanged(2 * gradients), exposed: 0 };
    case 'dp': {
      // With every forward the weights, as they are stored, go out to each other card, and with every backward the gradients come back
      // at its end: nothing hides them.
      const replicas =
        (storedBytes(request, work, weightBytes(request)) + trainable * gradientBytes(request)) * between;
      return { eachMicro: 0, once: 0, exposed: training.accumulation * world * replicas };
    }
    case 'zero1':
      return { eachMicro: 0, once: gradients, exposed: weights + host };
    case 'zero2':
      // Every rank keeps its part of the gradients only, so they are reduced with every micro-batch.
      return { eachMicro: gradients, once: 0, exposed: weights + host };
    case 'zero3':
      return { eachMicro: 2 * weights + gradients, once: 0, exposed: host };
    case 'fsdp-full':
      return { ...exchanged(gradients, 2 * weights), exposed: host };
    case 'fsdp-grad-op':
      return { ...exchanged(gradients, weights), exposed: host };
    case 'tensor':
      return { eachMicro: 0, once: 0, exposed: tensorSeconds(request, facts) * training.accumulation };
    case 'pipeline':
      return { eachMicro: 0, once: 0, exposed: stageSeconds(request, facts) * training.accumulation };
  }
}

/** A gradient as it travels: FSDP reduces in fp32 under mixed precision, DDP in the weights' type, DeepSpeed in 16 bits. */
function gradientBytes(request: EstimateRequest): number {
  return isZero(request.strategy) ? elementBytes(request) : weightBytes(request);
}

/** bitsandbytes: 4 bits each and a 32-bit scale for 64 of them. What stays wider, embeddings and head, is left out. */
const quantisedBytes = 0.5 + 4 / 64;

/** Bytes of the weights as they travel: so many each, or those of quantised ones. */
function storedBytes(request: EstimateRequest, { parameters }: SampleWork, bytes: number): number {
  return parameters * (request.training.method.kind === 'qlora' ? quantisedBytes : bytes);
}

/**
 * Sums of hidden states for each layer and micro-batch: after attention and MLP, again where they are recomputed, and of the gradient
 * that each of five projections hands back (query, key, value, gate, up). Each sum sends everything twice. Logits are gathered once.
 */
function tensorSeconds(request: EstimateRequest, { links, work }: StepFacts): number {
  const { training, world } = request;
  const bytes = elementBytes(request) * training.microBatch;
  const sums = (training.checkpointing.kind === 'none' ? 2 : 4) + 5;
  const summed = 2 * sums * work.layers * work.hiddenElements * bytes;
  return ((summed + work.logitElements * bytes) * (world - 1)) / world / links.betweenCardsBytesPerSecond;
}

/**
 * Hidden states to the next stage and gradients back, for each micro-batch. A pipeline's stages all do so at the same time, and PyTorch's
 * schedules wait for it; layers that one process has placed are met one after the other.
 */
function stageSeconds(request: EstimateRequest, { links, work }: StepFacts): number {
  const { schedule, training, world } = request;
  const bytes =
    work.hiddenElements *
    training.microBatch *
    (isMixed(request.training.precision) ? 4 : elementBytes(request));
  return (2 * bytes * (schedule === 'sequential' ? world - 1 : 1)) / links.betweenCardsBytesPerSecond;
}

/** Shards up and gradients down for every micro-batch, and AdamW on the processor once a step for all ranks together. */
function offloadSeconds(request: EstimateRequest, { links, trainable, work }: StepFacts): number {
  const { offload, training, world } = request;
  if (offload === 'none') return 0;
  const bytes = weightBytes(request);
  const optimizer =
    (optimizerBytes['adamw-fused'] * trainable) /
    (offload === 'nvme' ? nvmeBytesPerSecond : hostMemoryBytesPerSecond);
  const gradients = (trainable * bytes) / world / links.toHostBytesPerSecond;
  const weights = (work.parameters * bytes) / world / links.toHostBytesPerSecond;
  if (offload === 'optimizer') return optimizer + gradients + weights;
  return optimizer + training.accumulation * (2 * weights + gradients);
}

function optimizerSeconds(request: EstimateRequest, { card, trainable }: StepFacts): number {
  const { offload, strategy, training, world } = request;
  if (offload !== 'none') return 0;
  const speed: CardSpeed = speedOf(card);
  const adapters = training.method.kind !== 'full' ? 1 : weightBytes(request) / 4;
  return (
    (optimizerBytes[training.optimizer] * adapters * trainable) /
    (dividesOptimizer(strategy) ? world : 1) /
    speed.memoryBytesPerSecond
  );
}

/** Stages wait while the pipeline fills and drains: (stages - 1) / micro-batches of the time. */
function bubble({ schedule, strategy, training, world }: EstimateRequest): number {
  return strategy === 'pipeline' && schedule !== 'sequential' ? 1 + (world - 1) / training.accumulation : 1;
}
