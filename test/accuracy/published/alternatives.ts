/** What simpler estimators say about the runs that others published, of every method and strategy: a process' bytes. */
import type { Architecture, Layer } from '../../../shared/model/architecture';
import { parameterCount } from '../../../shared/model/inventory';
import type { EstimateRequest, TrainingSettings } from '../../../shared/memory/configuration';
import { dividesOptimizer, dividesWeights, strategies } from '../../../shared/memory/strategies';
import { adapterElements, adapterPlans } from '../../../shared/memory/training/adapterPlan';
import { weightBytes } from '../../../shared/memory/training/types';
import { GiB } from '../../../shared/units';
import type { PublishedQuestion } from './rows';

export interface Alternative {
  readonly name: string;
  readonly bytes: (question: PublishedQuestion) => number;
}

export const alternatives: readonly Alternative[] = [
  {
    name: '16 bytes a trained parameter',
    bytes: ({ architecture, request }) => states(architecture, request, 16),
  },
  {
    name: 'four times the weights',
    bytes: ({ architecture, request: { training } }) =>
      4 * storedBytes(training) * parameterCount(architecture),
  },
  { name: 'closed formula', bytes: closedFormula },
];

/** 4-bit weights with their scales. */
const nf4Bytes = 0.56;

const storedBytes = ({ method, precision }: TrainingSettings): number =>
  method.kind === 'qlora' ? nf4Bytes : weightBytes(precision);

/** Weights, gradients and optimizer: so many bytes of a trained parameter, frozen ones in their type, divided among the cards. */
function states(architecture: Architecture, request: EstimateRequest, trainedBytes: number): number {
  const { strategy, training, world } = request;
  const base = parameterCount(architecture);
  const { method } = training;
  const trained =
    method.kind === 'full'
      ? base
      : adapterElements(adapterPlans(architecture, method.adapters.rank, method.adapters.targets));
  const frozen = method.kind === 'full' ? 0 : base * storedBytes(training);
  const weights = (dividesWeights(strategy) ? 1 / world : 1) * frozen;
  const parts = dividesWeights(strategy) || dividesOptimizer(strategy) ? world : 1;
  return weights + (trained * trainedBytes) / parts;
}

/** Bytes of weight, gradient and two moments that training in this precision keeps. */
const keptBytes = ({ optimizer, precision }: TrainingSettings, isZero: boolean): number => {
  const weight = precision === 'bf16' ? 2 : 4;
  const moments = optimizer.includes('8bit') ? 2 : optimizer.startsWith('adamw') ? 2 * weight : 0;
  return isZero && precision !== 'fp32' ? 2 + 2 + 12 : 2 * weight + moments;
};

/**
 * States, what layers keep of a token in closed form (one input a layer where they are recomputed), 12 bytes a logit, a twentieth more and
 * half a GiB.
 */
function closedFormula({ architecture, request }: PublishedQuestion): number {
  const { training } = request;
  const tokens = training.microBatch * training.sequence;
  const perToken = architecture.stacks.map((stack) => {
    const kept = stack.layers.map((layer) => layerBytes(layer, stack.hiddenSize, training));
    return training.checkpointing.kind === 'none'
      ? kept.reduce((sum, bytes) => sum + bytes, 0)
      : 2 * stack.hiddenSize * kept.length + Math.max(0, ...kept);
  });
  const { head } = architecture;
  const loss = head.kind === 'language-model' ? 12 * head.vocabularySize : 0;
  const isZero = strategies[request.strategy].divides.optimizer && request.strategy.startsWith('zero');
  const kept = states(architecture, request, keptBytes(training, isZero));
  const activations = perToken.reduce((sum, bytes) => sum + bytes, 0);
  return (kept + tokens * (activations + loss)) * 1.05 + 0.5 * GiB;
}

/** A llama block in bf16, or under autocast: 16h + 8f + 4ad + 4kvd, or 26h; others as GPT-2's, 58h. */
function layerBytes(
  { feedForward, mixer }: Layer,
  hidden: number,
  { attention, precision, sequence }: TrainingSettings,
): number {
  if (feedForward.kind !== 'mlp' || !feedForward.gated || mixer.kind !== 'attention') return 58 * hidden;
  const { headDim, heads, keyValueHeads } = mixer;
  const scores = attention === 'eager' ? 6 * heads * sequence : 4 * headDim * (heads + keyValueHeads);
  return (precision === 'bf16' ? 16 : 26) * hidden + 8 * feedForward.width + scores;
}
