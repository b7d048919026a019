/** Memory of the machine that offloading and paged optimizers take. */
import type { Architecture } from '../model/architecture';
import { parameterTensors } from '../model/inventory';
import { type EstimateRequest, isFsdp, isZero } from './configuration';
import { spreadOf } from './spread';
import { elements, FP32, HALF, type Shape } from './tape/tensor';
import { adapterPlans } from './training/adapterPlan';
import { isWideAdamW } from './training/optimizers';
import { pagedBytes } from './training/optimizers/eightBit';
import { stateBytes, type TrainedTensor } from './training/optimizers/stateBytes';
import { adaptersOf, partOf } from './training/part';
import { type ShardCut, shardShape } from './training/sharding/shardedParameter';
import { weightBytes } from './training/types';

/** A root and a denominator of the largest parameter, which AdamW's loop on the processor makes. */
const adamwCopies = 2;

interface HostTensor extends TrainedTensor {
  readonly isTrained: boolean;
}

/**
 * Bytes that training holds in the machine's memory, for all processes (they are taken to run on one machine): what is offloaded, and
 * the moments of a paged optimizer, which the machine must hold where the card has no room for them.
 */
export function hostBytes(architecture: Architecture, request: EstimateRequest): number {
  const { offload, strategy } = request;
  if (offload === 'none') return pagedHostBytes(architecture, request);
  return isZero(strategy) ? zeroHostBytes(architecture, request) : shardedHostBytes(architecture, request);
}

/**
 * FSDP2's `CPUOffloadPolicy`: pinned shards and gradients, optimizer state, and what the optimizer's loop makes. PyTorch's pinned memory
 * comes in powers of two. Measured with `fsdp2-offload` rows of `data/measured`: within 1 %.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/core/CachingHostAllocator.h
 */
function shardedHostBytes(architecture: Architecture, request: EstimateRequest): number {
  const { optimizer } = request.training;
  const tensors = hostTensors(architecture, request, 'rows');
  const trained = tensors.filter(({ isTrained }) => isTrained);
  const weights = sumOf(tensors, pinnedBytes);
  const gradients = sumOf(trained, pinnedBytes);
  const state = sumOf(trained, (tensor) => stateBytes(optimizer, tensor));
  const largest = trained.reduce((most, tensor) => Math.max(most, bytesOf(tensor)), 0);
  const working = isWideAdamW(optimizer) || optimizer === 'adamw-8bit' ? largest * adamwCopies : 0;
  return Math.round((weights + gradients + state + working) * request.world);
}

/** Buffers through which DeepSpeed swaps parameters to a disk: five of 1e8 elements of 16 bits each. */
const nvmeBufferBytes = 5 * 1e8 * HALF;

/**
 * DeepSpeed: master weights, two moments and gradients in fp32 for this process' part, with `all` the 16-bit shards too. On a disk
 * only its buffers stay in memory.
 * https://www.deepspeed.ai/docs/config-json/#parameter-offloading
 */
function zeroHostBytes(architecture: Architecture, request: EstimateRequest): number {
  const { offload, training, world } = request;
  if (offload === 'nvme') return nvmeBufferBytes * world;
  const tensors = hostTensors(architecture, request, 'elements');
  const trained = tensors.filter(({ isTrained }) => isTrained);
  const states = sumOf(trained, (tensor) => {
    const master = { ...tensor, elementBytes: FP32 };
    return 2 * bytesOf(master) + stateBytes(training.optimizer, master);
  });
  const stored = training.precision === 'fp32' ? FP32 : HALF;
  const shards = offload === 'all' ? sumOf(tensors, ({ shape }) => elements(shape) * stored) : 0;
  return Math.round((states + shards) * world);
}

/** Moments in unified memory, where each process has those of what it trains itself. */
function pagedHostBytes(architecture: Architecture, request: EstimateRequest): number {
  const { strategy, training, world } = request;
  if (training.optimizer !== 'paged-adamw-8bit') return 0;
  const paged = (shape: Shape): number => pagedBytes(elements(shape));
  if (isFsdp(strategy) || isZero(strategy)) {
    const tensors = hostTensors(architecture, request, isZero(strategy) ? 'elements' : 'rows');
    return sumOf(tensors, ({ isTrained, shape }) => (isTrained ? paged(shape) : 0)) * world;
  }
  let bytes = 0;
  for (let rank = 0; rank < world; rank++) {
    const part = partOf(architecture, spreadOf(architecture, request, rank));
    bytes +=
      training.method.kind === 'full'
        ? sumOf(ownTensors(part.architecture), ({ name, shape }) =>
            part.elsewhere.has(name) ? 0 : paged(shape),
          )
        : sumOf(adaptersOf(part, training.method.adapters), ({ down, up }) => paged(down) + paged(up));
  }
  return bytes;
}

/** The allocator of pinned memory rounds every request up to a power of two. */
const pinnedBytes = (tensor: TrainedTensor): number =>
  2 ** Math.ceil(Math.log2(Math.max(1, bytesOf(tensor))));

const bytesOf = ({ elementBytes, shape }: TrainedTensor): number => elements(shape) * elementBytes;

const sumOf = <T>(list: readonly T[], bytes: (item: T) => number): number =>
  list.reduce((total, item) => total + bytes(item), 0);

/** A process' shards of the weights and of the adapters. */
function hostTensors(
  architecture: Architecture,
  { training, world }: EstimateRequest,
  cut: ShardCut,
): readonly HostTensor[] {
  const { method, precision } = training;
  const elementBytes = weightBytes(precision);
  const base = ownTensors(architecture).map(({ blockPath, frozen, shape }) => ({
    shape: shardShape(shape, world, cut),
    elementBytes,
    isBlockMatrix: blockPath !== null && shape.length === 2,
    isTrained: method.kind === 'full' && !frozen,
  }));
  if (method.kind === 'full') return base;
  const { adapterType, rank, targets } = method.adapters;
  const adapters = adapterPlans(architecture, rank, targets).flatMap(({ down, up }) => [down, up]);
  return [
    ...base,
    ...adapters.map((shape) => ({
      shape: shardShape(shape, world, cut),
      elementBytes: adapterType === 'fp32' ? FP32 : elementBytes,
      isBlockMatrix: false,
      isTrained: true,
    })),
  ];
}

/** Each tensor once, however many names it has. */
const ownTensors = (architecture: Architecture): ReturnType<typeof parameterTensors> =>
  parameterTensors(architecture).filter(({ tiedTo }) => tiedTo === null);
