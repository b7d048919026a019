/** Why a strategy cannot do it, with the arithmetic. */
import { message, type Message } from '../i18n/message';
import { type EstimateRequest, strategyNames } from '../memory/configuration';
import type { Refused } from './drafting';
import type { Obstacle } from './draft';
import type { RankNeed } from './judge';
import { type ModelCounts, type ModelStates, rankStatesOf, type StageStates } from './states';
import type { PlanCandidate, Draft, Plan, Planning, PlanQuestion, Refusal } from './types';

/** Weights, gradients and optimizer alone are more than a card has beside CUDA's context. */
export function statesTooLarge(
  request: EstimateRequest,
  { parameters }: ModelCounts,
  {
    cardBytes,
    contextBytes,
    gradientBytes,
    optimizerBytes,
    totalBytes,
    weightBytes,
  }: ModelStates & { readonly cardBytes: number; readonly contextBytes: number },
): Message {
  const values = {
    parameters,
    weights: weightBytes,
    gradients: gradientBytes,
    optimizer: optimizerBytes,
    total: totalBytes,
    context: contextBytes,
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

/** The states fit, but not what a step of the smallest micro-batch adds to them on the card with the least room. */
export function peakTooLarge(
  { architecture }: PlanQuestion,
  { cards, request }: PlanCandidate,
  { contextBytes, peakBytes, processBytes, rank }: RankNeed,
): Obstacle {
  const card = cards[rank];
  if (card === undefined) throw new Error(`Rank ${rank} has no card.`);
  const states = rankStatesOf(architecture, request)[rank]?.totalBytes ?? 0;
  const gap = { needBytes: processBytes, cardBytes: card.freeBytes };
  const values = {
    need: processBytes,
    states,
    rest: Math.max(0, peakBytes - states),
    context: contextBytes,
    card: card.freeBytes,
    index: card.index,
  };
  // Another program holds what is missing.
  if (card.freeBytes < card.totalBytes && processBytes <= card.totalBytes)
    return {
      gap,
      why: message('strategy.fitsEmptyCard', { ...values, used: card.totalBytes - card.freeBytes }),
    };
  const isCheckpointed = request.training.checkpointing.kind !== 'none';
  return {
    gap,
    why: isCheckpointed ? message('strategy.peakCheckpointed', values) : message('strategy.peak', values),
  };
}

/** What may fit is no answer to a question that wants a sure one. */
export function onlyTight({ candidate, fit }: Draft): Message {
  const { cardBytes, processBytes, rank } = fit.tightest;
  const index = candidate.cards[rank]?.index ?? rank;
  return message('strategy.onlyTight', { peak: processBytes, card: cardBytes, index });
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
  return [...nearest.values()].map(refusalOf);
}

/** A candidate that cannot be, as the answer tells it. */
export const refusalOf = ({ candidate: { request }, gap, why }: Refused): Refusal => ({
  strategy: request.strategy,
  method: request.training.method.kind,
  why,
  gap,
});

/** Refusals come in the order of concessions, so an earlier one is nearer to what was asked. By rule: never nearer. */
function comesNearer({ candidate, gap }: Refused, known: Refused): boolean {
  const [one, other] = [candidate.request, known.candidate.request];
  return (
    one.offload === other.offload &&
    one.training.precision === other.training.precision &&
    one.training.optimizer === other.training.optimizer &&
    one.world === other.world &&
    (gap?.needBytes ?? Infinity) < (known.gap?.needBytes ?? Infinity)
  );
}

/** The answer for a model whose steps cannot be played: every strategy refused for that reason. */
export function unplayable({ request, wished }: PlanQuestion, why: Message): Planning {
  const strategies = wished.has('strategy') ? [request.strategy] : strategyNames;
  const method = request.training.method.kind;
  return {
    plans: [],
    refused: strategies.map((strategy) => ({ strategy, method, why, gap: null })),
    assumptions: [],
  };
}
