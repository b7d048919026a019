/** Memory of the machine that offloading takes. */
import type { Architecture } from '../model/architecture';
import { parameterTensors } from '../model/inventory';
import type { EstimateRequest } from './configuration';
import { elements, FP32, HALF } from './tape/tensor';
import { adapterPlans } from './training/adapterPlan';
import type { OptimizerName } from './training/optimizers';
import { weightBytes } from './training/types';
import { shardElements } from './training/sharding/shardedParameter';

/** Optimizer state in copies of the parameter, on the processor, where AdamW is a loop. */
const STATE_COPIES: Readonly<Record<OptimizerName, number>> = {
  adamw: 2,
  'adamw-fused': 2,
  'adamw-loop': 2,
  sgd: 0,
  'sgd-momentum': 1,
  adafactor: 0,
  'adamw-8bit': 0.5,
  'paged-adamw-8bit': 0.5,
  lion: 1,
  muon: 1,
};
/** A root and a denominator of the largest parameter while AdamW's loop runs. */
const ADAMW_COPIES = 2;

interface HostTensor {
  readonly elements: number;
  readonly bytes: number;
  readonly trained: boolean;
}

/**
 * Bytes that offloaded training holds in the machine's memory, for all processes (they are taken to run on one machine): pinned
 * shards and gradients, optimizer state, and what the optimizer's loop makes. PyTorch's pinned memory comes in powers of two.
 * Measured with `fsdp2-offload` rows of `data/measured`: within 1 %.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/core/CachingHostAllocator.h
 */
export function hostBytes(architecture: Architecture, request: EstimateRequest): number {
  const { offload, strategy, training, world } = request;
  if (offload === 'none') return 0;
  if (strategy.startsWith('zero')) return zeroHostBytes(architecture, request);
  const tensors = hostTensors(architecture, request);
  const trained = tensors.filter((tensor) => tensor.trained);
  const copies = STATE_COPIES[training.optimizer];
  const sum = (list: readonly HostTensor[], bytesOf: (tensor: HostTensor) => number): number =>
    list.reduce((total, tensor) => total + bytesOf(tensor), 0);
  const weights = sum(tensors, pinnedBytes);
  const gradients = sum(trained, pinnedBytes);
  const state = sum(trained, (tensor) => tensor.elements * tensor.bytes * copies);
  const largest = trained.reduce((most, tensor) => Math.max(most, tensor.elements * tensor.bytes), 0);
  const working = training.optimizer.startsWith('adamw') ? largest * ADAMW_COPIES : 0;
  return Math.round((weights + gradients + state + working) * world);
}

/** Buffers through which DeepSpeed swaps parameters to a disk: five of 1e8 elements of 16 bits each. */
const NVME_BUFFER_BYTES = 5 * 1e8 * HALF;

/**
 * DeepSpeed: master weights, two moments and gradients in fp32 for this process' part, with `all` the 16-bit shards too. On a disk
 * only its buffers stay in memory.
 * https://www.deepspeed.ai/docs/config-json/#parameter-offloading
 */
function zeroHostBytes(architecture: Architecture, request: EstimateRequest): number {
  const { offload, training, world } = request;
  if (offload === 'nvme') return NVME_BUFFER_BYTES * world;
  const tensors = hostTensors(architecture, request);
  const count = (list: readonly HostTensor[]): number =>
    list.reduce((total, tensor) => total + tensor.elements, 0);
  const copies = 2 + STATE_COPIES[training.optimizer];
  const optimizer = count(tensors.filter(({ trained }) => trained)) * copies * FP32;
  const shards = offload === 'all' ? count(tensors) * (training.precision === 'fp32' ? FP32 : HALF) : 0;
  return Math.round((optimizer + shards) * world);
}

/** The allocator of pinned memory rounds every request up to a power of two. */
function pinnedBytes({ elements: count, bytes }: HostTensor): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, count * bytes)));
}

function hostTensors(
  architecture: Architecture,
  { strategy, training, world }: EstimateRequest,
): readonly HostTensor[] {
  const { method, precision } = training;
  const cut = strategy.startsWith('zero') ? 'elements' : 'rows';
  const bytes = weightBytes(precision);
  const own = parameterTensors(architecture).filter(({ tiedTo }) => tiedTo === null);
  const base = own.map(({ shape }) => ({
    elements: shardElements(shape, world, cut),
    bytes,
    trained: method.kind === 'full',
  }));
  if (method.kind === 'full') return base;
  const { adapterType, rank, targets } = method.adapters;
  const adapters = adapterPlans(architecture, rank, targets).flatMap(({ down, up }) => [down, up]);
  return [
    ...base,
    ...adapters.map((shape) => ({
      elements: elements(shape) === 0 ? 0 : shardElements(shape, world, cut),
      bytes: adapterType === 'fp32' ? FP32 : bytes,
      trained: true,
    })),
  ];
}
