/** What was asked back, as answers of the wizard, for a person who wants to go on with it. */
import { MiB } from '../../units';
import type { Ask, AskAnswer } from '../ask';
import type { Plan } from '../types';
import type { PlanAnswers, PlanWishes } from './answers';

/** Null where there is nothing to take over. */
export function answersOfAsk(
  answers: PlanAnswers,
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
      return typeof answer === 'number' ? wish({ sequence: answer }) : null;
    case 'largest-batch':
      return typeof answer === 'number' ? wish({ globalBatch: answer, microBatch: plan.microBatch }) : null;
    case 'smallest-card':
      return typeof answer === 'number' ? onCards(answers, plan.world, answer) : null;
    case 'cheapest-change':
      return wish(wishesOf(plan));
  }
}

function onCards(answers: PlanAnswers, count: number, bytes: number): PlanAnswers {
  const { cards } = answers;
  return {
    ...answers,
    cards: {
      kind: 'given',
      text: `${count} x ${Math.ceil(bytes / MiB)} MiB`,
      cardName: cards.kind === 'given' ? cards.cardName : null,
    },
  };
}

/** All that the plan was made with. */
function wishesOf({ request }: Plan): Partial<PlanWishes> {
  const { checkpointing, method, optimizer, precision, sequence } = request.training;
  return {
    method: method.kind,
    ...(method.kind === 'full'
      ? {}
      : { loraRank: method.adapters.rank, loraTargets: method.adapters.targets }),
    precision,
    optimizer,
    sequence,
    strategy: request.strategy,
    offload: request.offload,
    ...(checkpointing.kind === 'segments' ? {} : { checkpointing: checkpointing.kind }),
  };
}
