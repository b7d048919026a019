/** From all answers to the question that the planner takes. */
import type { Message } from '../../i18n/message';
import { requestKeys, readRequest, type RequestKey } from '../../memory/request';
import { correctedCard } from '../../receipts/corrections';
import type { PlanQuestion } from '../types';
import type { PlanAnswers, PlanWishes } from './answers';
import { hostBytesOf, linksOf, readCards } from './cards';
import type { Machine } from './machine';
import type { ChosenModel } from './model';

export type QuestionReading =
  | { readonly kind: 'question'; readonly question: PlanQuestion; readonly warnings: readonly Message[] }
  /** The step whose answer stands in the way. */
  | { readonly kind: 'incomplete'; readonly step: 'cards' | 'method'; readonly why: Message };

export function readQuestion(answers: PlanAnswers, machine: Machine, model: ChosenModel): QuestionReading {
  const read = readCards(answers, machine);
  if (read.kind === 'refused') return { kind: 'incomplete', step: 'cards', why: read.why };
  const wishes = wishedValues(answers.wishes);
  const values = read.cardName === null ? wishes : { ...wishes, card: read.cardName };
  const reading = readRequest(values, { label: (key) => key, timeline: false });
  if (reading.kind === 'refused') return { kind: 'incomplete', step: 'method', why: reading.reason };
  const { request } = reading;
  // A card that is only typed in may be another machine's.
  const card =
    request.card === null || answers.cards.kind === 'given'
      ? request.card
      : correctedCard(request.card, machine.correction);
  return {
    kind: 'question',
    warnings: reading.warnings,
    question: {
      architecture: model.architecture,
      request: { ...request, card },
      wished: new Set(requestKeys.filter((key) => key in wishes)),
      cards: read.cards,
      links: linksOf(answers, machine, read),
      globalBatch: answers.wishes.globalBatch,
      hostBytes: hostBytesOf(answers, machine),
    },
  };
}

/** The wishes under the command's keys; what is left to the planner is left out. */
function wishedValues(wishes: PlanWishes): Partial<Record<RequestKey, unknown>> {
  const { doubleQuant, loraDropout, loraRank, loraTargets, method, microBatch, sequence } = wishes;
  const { attention, checkpointing, offload, optimizer, precision, strategy } = wishes;
  const chosen = Object.entries({ attention, checkpointing, offload, optimizer, precision, strategy });
  return {
    method,
    ...(method === 'full' ? {} : { loraRank, loraTargets, loraDropout }),
    ...(method === 'qlora' ? { doubleQuant } : {}),
    seq: sequence,
    ...(microBatch === null ? {} : { microBatch }),
    ...Object.fromEntries(chosen.filter(([, value]) => value !== 'auto')),
  };
}
