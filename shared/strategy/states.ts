/**
 * What must be on a card before any activation: a lower bound that needs no play. All three kinds are there at once while the
 * optimizer steps, so a card that cannot hold them cannot train, whatever else is saved.
 */
import { type EstimateRequest, isZero } from '../memory/configuration';
import { adapterElements, adapterPlans } from '../memory/training/adapterPlan';
import { hasEightBitState, type OptimizerName } from '../memory/training/optimizers';
import { stageShares } from '../memory/spread';
import type { Architecture } from '../model/architecture';
import { stageLayers, stageParameters } from '../model/stages';
import { parameterCount } from '../model/inventory';
import { strategies } from '../memory/strategies';

export interface ModelStates {
  readonly weightBytes: number;
  readonly gradientBytes: number;
  readonly optimizerBytes: number;
  readonly totalBytes: number;
}

export interface ModelCounts {
  readonly parameters: number;
  readonly trainable: number;
}

/** Bytes of state for each trained parameter whose gradient has four; what may be elsewhere (paged) or is tiny is left out. */
const stateBytesByOptimizer: Readonly<Record<OptimizerName, number>> = {
  adamw: 8,
  'adamw-fused': 8,
  'adamw-loop': 8,
  sgd: 0,
  'sgd-momentum': 4,
  adafactor: 0,
  'adamw-8bit': 2,
  'paged-adamw-8bit': 0,
  lion: 4,
  muon: 4,
};

/** Parameters of the model with its adapters, and those that are trained. */
export function countsOf(architecture: Architecture, { training: { method } }: EstimateRequest): ModelCounts {
  const base = parameterCount(architecture);
  if (method.kind === 'full') return { parameters: base, trainable: base };
  const added = adapterElements(adapterPlans(architecture, method.adapters.rank, method.adapters.targets));
  return { parameters: base + added, trainable: added };
}

/** What is counted for one card of a strategy that gives each an equal part. DataParallel: its first card. */
export function statesOf(request: EstimateRequest, counts: ModelCounts): ModelStates {
  const { offload, strategy, training, world } = request;
  if (offload === 'all' || offload === 'nvme') return total(0, 0, 0);
  const isHalf = training.precision === 'bf16' || (isZero(strategy) && training.precision !== 'fp32');
  const stored = isHalf ? 2 : 4;
  const isAdapted = training.method.kind !== 'full' && !isZero(strategy);
  const trained = isAdapted && training.method.adapters.adapterType === 'fp32' ? 4 : stored;
  const frozen = (counts.parameters - counts.trainable) * (training.method.kind === 'qlora' ? 0.5 : stored);
  const weights = frozen + counts.trainable * trained;
  const gradients = offload === 'optimizer' ? 0 : counts.trainable * trained;
  const optimizer = offload === 'optimizer' ? 0 : counts.trainable * stateBytes(request, trained);
  const { divides } = strategies[strategy];
  const share = (bytes: number, isSplit: boolean): number => (isSplit ? bytes / world : bytes);
  return total(
    share(weights, divides.weights),
    share(gradients, divides.gradients),
    share(optimizer, divides.optimizer),
  );
}

/**
 * The states of each rank, in their order: a pipeline's stages have their own, DataParallel's further cards nothing but the copies of
 * the weights, and with every other strategy all ranks have the same. Empty where the model cannot be cut into stages.
 */
export function rankStatesOf(architecture: Architecture, request: EstimateRequest): readonly ModelStates[] {
  if (request.strategy === 'pipeline')
    return stageStatesOf(architecture, request).map(({ states }) => states);
  const states = statesOf(request, countsOf(architecture, request));
  const replica = request.strategy === 'dp' ? total(states.weightBytes, 0, 0) : states;
  return Array.from({ length: request.world }, (_, rank) => (rank === 0 ? states : replica));
}

/** States of a pipeline's stage. */
export interface StageStates {
  readonly parameters: number;
  readonly layers: number;
  readonly states: ModelStates;
}

/**
 * The states of each stage. Where only adapters are trained, just their base is counted: how they spread over the stages depends on
 * which layers they adapt. None where the model cannot be cut.
 */
export function stageStatesOf(architecture: Architecture, request: EstimateRequest): readonly StageStates[] {
  const shares = stageShares(request);
  const parameters = stageParameters(architecture, shares) ?? [];
  const layers = stageLayers(architecture, shares) ?? [];
  const isFull = request.training.method.kind === 'full';
  return parameters.map((count, index) => ({
    parameters: count,
    layers: layers[index] ?? 0,
    states: statesOf(
      { ...request, strategy: 'single', world: 1 },
      { parameters: count, trainable: isFull ? count : 0 },
    ),
  }));
}

/** Optimizer bytes of a parameter. DeepSpeed keeps fp32 weights beside the states of what it trains in 16 bits. */
function stateBytes({ strategy, training }: EstimateRequest, trained: number): number {
  const bytes = stateBytesByOptimizer[training.optimizer];
  // 8-bit states have one byte each, whatever the gradient's type.
  if (hasEightBitState(training.optimizer)) return bytes;
  if (isZero(strategy)) return trained === 2 ? bytes + 4 : bytes;
  return (bytes * trained) / 4;
}

const total = (weightBytes: number, gradientBytes: number, optimizerBytes: number): ModelStates => ({
  weightBytes,
  gradientBytes,
  optimizerBytes,
  totalBytes: weightBytes + gradientBytes + optimizerBytes,
});
