/** The answers of the steps in short. */
import { shortCardName } from '../../gpu/cardName';
import { message, type Message } from '../../i18n/message';
import { MiB } from '../../units';
import { batchOfWishes } from '../batch';
import type { PlanAnswers, PlanWishes } from './answers';
import { readCards } from './cards';
import type { Machine } from './machine';
import {
  attentionName,
  checkpointingName,
  methodName,
  offloadName,
  optimizerName,
  precisionName,
  strategyName,
} from './names';

/** Sizes nearer to each other than this read the same. */
const sameBytes = 64 * MiB;

/** `2 x RTX 3090, 23.6 GiB free on each`, or what is wrong with the answer. */
export function cardsSummary(answers: PlanAnswers, machine: Machine): Message {
  const read = readCards(answers, machine);
  if (read.kind === 'refused') return read.why;
  const sizes = read.cards.map(({ freeBytes }) => freeBytes);
  const values = {
    cards: read.cards.length,
    count: read.cards.length,
    name: shortCardName(read.cardName) ?? '?',
    least: Math.min(...sizes),
    most: Math.max(...sizes),
  };
  const isEven = values.most - values.least < sameBytes;
  const isFree = answers.cards.kind === 'detected' && answers.cards.memory === 'free';
  if (read.cardName === null)
    return isEven ? message('planSteps.unnamedAnswer', values) : message('planSteps.unnamedBetween', values);
  if (isFree)
    return isEven
      ? message('planSteps.cardsAnswer', values)
      : message('planSteps.cardsAnswerBetween', values);
  return isEven
    ? message('planSteps.cardsTotalAnswer', values)
    : message('planSteps.cardsTotalBetween', values);
}

/** `batch 8, 1,024 tokens`. */
export function dataSummary(answers: PlanAnswers, machine: Machine, isImage: boolean): Message {
  const { globalBatch, microBatch, sequence, strategy } = answers.wishes;
  const read = readCards(answers, machine);
  const batch = batchOfWishes({
    globalBatch,
    microBatch,
    accumulation: 1,
    strategy: strategy === 'auto' ? null : strategy,
    world: read.kind === 'cards' ? read.cards.length : 1,
  });
  return isImage
    ? message('planSteps.dataAnswerImages', { batch })
    : message('planSteps.dataAnswer', { batch, sequence });
}

/** The method and every wish that is not left to the planner. */
export function methodSummary(wishes: PlanWishes): readonly Message[] {
  const { attention, checkpointing, loraRank, method, offload, optimizer, precision, strategy } = wishes;
  return [
    method === 'full'
      ? methodName(method)
      : method === 'lora'
        ? message('planSteps.loraAnswer', { rank: loraRank })
        : message('planSteps.qloraAnswer', { rank: loraRank }),
    ...(precision === 'auto' ? [] : [precisionName(precision)]),
    ...(optimizer === 'auto' ? [] : [optimizerName(optimizer)]),
    ...(checkpointing === 'auto' ? [] : [checkpointingName(checkpointing)]),
    ...(attention === 'auto' ? [] : [attentionName(attention)]),
    ...(strategy === 'auto' ? [] : [strategyName(strategy)]),
    ...(offload === 'auto' ? [] : [offloadName(offload)]),
  ];
}
