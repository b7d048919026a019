/** Why a strategy cannot do it, with the arithmetic. */
import { message, type Message } from '../i18n/message';
import { type EstimateRequest, STRATEGIES } from '../memory/configuration';
import type { Refused } from './drafting';
import { expectedContext } from './judge';
import { countsOf, type ModelCounts, type ModelStates, type StageStates, statesOf } from './states';
import type { Candidate, Plan, Planning, PlanQuestion, Refusal } from './types';

/** Weights, gradients and optimizer alone are more than the smallest card has. */
export function statesTooLarge(
  request: EstimateRequest,
  { parameters }: ModelCounts,
  { gradientBytes, optimizerBytes, totalBytes, weightBytes }: ModelStates,
  cardBytes: number,
): Message {
  const values = {
    parameters,
    weights: weightBytes,
    gradients: gradientBytes,
    optimizer: optimizerBytes,
    total: totalBytes,
    context: expectedContext(request),
    card: cardBytes,
    world: request.world,
  };
  switch (request.strategy) {
    case 'single':
      return message('strategy.singleStates', values);
    case 'dp':
      return message('strategy.dataParallelStates', values);
    case 'ddp':
    case 'ddp-bucket-view':
      return message('strategy.copyStates', values);
    case 'zero1':
    case 'zero2':
      return message('strategy.zeroStates', { ...values, strategy: request.strategy });
    case 'fsdp-full':
    case 'fsdp-grad-op':
    case 'zero3':
    case 'tensor':
    case 'pipeline':
      return message('strategy.shardStates', { ...values, strategy: request.strategy });
  }
}

/** A stage's states alone are more than its card has. */
export function stageTooLarge(
  request: EstimateRequest,
  { layers, parameters, states }: StageStates,
  index: number,
  cardBytes: number,
): Message {
  return message('strategy.stageStates', {
    stage: index + 1,
    world: request.world,
    layers,
    parameters,
    weights: states.weightBytes,
    gradients: states.gradientBytes,
    optimizer: states.optimizerBytes,
    total: states.totalBytes,
    card: cardBytes,
  });
}

/** The states fit, but not what a step of the smallest micro-batch adds to them. */
export function peakTooLarge(
  question: PlanQuestion,
  { cards, request }: Candidate,
  peakBytes: number,
  /** Whose peak it is, where ranks differ. */
  rank: number | null = null,
): { readonly kind: 'refused'; readonly why: Message; readonly needBytes: number } {
  const states = statesOf(request, countsOf(question.architecture, request)).totalBytes;
  const needBytes = peakBytes + expectedContext(request);
  const own = rank !== null && request.strategy === 'pipeline' ? cards[rank] : undefined;
  const smallest = own ?? cards.reduce((least, card) => (card.freeBytes < least.freeBytes ? card : least));
  const values = {
    need: needBytes,
    states,
    rest: Math.max(0, peakBytes - states),
    context: expectedContext(request),
    card: smallest.freeBytes,
    index: smallest.index,
  };
  // Another program holds what is missing.
  if (smallest.freeBytes < smallest.totalBytes && needBytes <= smallest.totalBytes)
    return {
      kind: 'refused',
      needBytes,
      why: message('strategy.fitsEmptyCard', { ...values, used: smallest.totalBytes - smallest.freeBytes }),
    };
  const isCheckpointed = request.training.checkpointing.kind !== 'none';
  return {
    kind: 'refused',
    needBytes,
    why: isCheckpointed ? message('strategy.peakCheckpointed', values) : message('strategy.peak', values),
  };
}

/**
 * One refusal for each method and strategy of which there is no plan: that of the variant which is nearest to what was asked, and
 * of those the one that needs least.
 */
export function refusalsOf(refused: readonly Refused[], plans: readonly Plan[]): readonly Refusal[] {
  const nearest = new Map<string, Refused>();
  for (const one of refused) {
    const { strategy, training } = one.candidate.request;
    if (plans.some((plan) => plan.strategy === strategy && plan.method === training.method.kind)) continue;
    const key = `${training.method.kind} ${strategy}`;
    const known = nearest.get(key);
    if (known === undefined || comesNearer(one, known)) nearest.set(key, one);
  }
  return [...nearest.values()].map(({ candidate: { request }, why }) => ({
    strategy: request.strategy,
    method: request.training.method.kind,
    why,
  }));
}

/** Refusals come in the order of concessions, so an earlier one is nearer to what was asked. */
function comesNearer({ candidate, needBytes }: Refused, known: Refused): boolean {
  const [one, other] = [candidate.request, known.candidate.request];
  return (
    one.offload === other.offload &&
    one.training.precision === other.training.precision &&
    one.training.optimizer === other.training.optimizer &&
    one.world === other.world &&
    needBytes < known.needBytes
  );
}

/** The answer for a model whose steps cannot be played: every strategy refused for that reason. */
export function unplayable({ request, wished }: PlanQuestion, why: Message): Planning {
  const strategies = wished.has('strategy') ? [request.strategy] : STRATEGIES;
  const method = request.training.method.kind;
  return { plans: [], refused: strategies.map((strategy) => ({ strategy, method, why })), assumptions: [] };
}
