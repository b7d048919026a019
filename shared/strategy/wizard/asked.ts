/** What was asked back, as answers of the wizard, for a person who wants to go on with it. */
import { MiB } from '../../units';
import type { Ask, AskAnswer } from '../ask';
import { ranksOf } from '../batch';
import type { Plan } from '../types';
import type { PlanAnswers, PlanWishes } from './answers';
import { readCards } from './cards';
import type { Machine } from './machine';

/**
 * The answers with which the planner makes the plan of what was asked back, so that what was said to fit is found to fit: its batch goes
 * with it, because gradients that accumulate and larger micro-batches take memory of their own. Null where there is nothing to take over.
 */
export function answersOfAsk(
  answers: PlanAnswers,
  machine: Machine,
  ask: Ask,
  { answer, plan }: AskAnswer,
): PlanAnswers | null {
  if (plan === null || answer === null) return null;
  const wish = (wishes: Partial<PlanWishes>): PlanAnswers => ({
    ...answers,
    wishes: { ...answers.wishes, ...wishes },
  });
  switch (ask) {
    case 'longest-seq':
      return typeof answer === 'number' ? wish({ sequence: answer, ...batchOf(plan) }) : null;
    case 'largest-batch':
      return typeof answer === 'number' ? wish(batchOf(plan)) : null;
    case 'smallest-card':
      return typeof answer === 'number'
        ? { ...wish(batchOf(plan)), cards: cardsOf(answers, machine, plan.world, answer) }
        : null;
    case 'cheapest-change':
      return wish(wishesOf(plan));
  }
}

/** So many cards of a size in bytes, of the model that the answers are about. */
function cardsOf(answers: PlanAnswers, machine: Machine, count: number, bytes: number): PlanAnswers['cards'] {
  const read = readCards(answers, machine);
  return {
    kind: 'given',
    text: `${count} x ${Math.ceil(bytes / MiB)} MiB`,
    cardName: read.kind === 'cards' ? read.cardName : null,
  };
}

const batchOf = ({ accumulationSteps, microBatch, request }: Plan): Partial<PlanWishes> => ({
  microBatch,
  globalBatch: microBatch * accumulationSteps * ranksOf(request),
});

/** All that the plan was made with, as far as the wizard has an answer for it. */
function wishesOf(plan: Plan): Partial<PlanWishes> {
  const { request } = plan;
  const { attention, checkpointing, method, optimizer, precision, sequence } = request.training;
  return {
    method: method.kind,
    ...(method.kind === 'full'
      ? {}
      : {
          loraRank: method.adapters.rank,
          loraTargets: method.adapters.targets,
          loraDropout: method.adapters.dropout,
        }),
    ...(method.kind === 'qlora' ? { doubleQuant: method.doubleQuantization } : {}),
    ...batchOf(plan),
    precision,
    optimizer,
    attention,
    sequence,
    strategy: request.strategy,
    offload: request.offload,
    ...(checkpointing.kind === 'segments' ? {} : { checkpointing: checkpointing.kind }),
  };
}
