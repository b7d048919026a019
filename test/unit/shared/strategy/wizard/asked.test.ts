import { describe, expect, it } from 'vitest';
import { noCorrection } from '../../../../../shared/receipts/corrections';
import { ask, type Ask, type AskAnswer } from '../../../../../shared/strategy/ask';
import { plan } from '../../../../../shared/strategy/plan';
import type { PlanQuestion } from '../../../../../shared/strategy/types';
import type { PlanAnswers, PlanWishes } from '../../../../../shared/strategy/wizard/answers';
import { answersOfAsk } from '../../../../../shared/strategy/wizard/asked';
import { defaultAnswers, defaultWishes } from '../../../../../shared/strategy/wizard/defaults';
import type { Machine } from '../../../../../shared/strategy/wizard/machine';
import { readModelAnswer } from '../../../../../shared/strategy/wizard/model';
import { readQuestion } from '../../../../../shared/strategy/wizard/question';
import { GiB, MiB } from '../../../../../shared/units';

const machineOf = (mib: number): Machine => ({
  cards: [0, 1].map((index) => ({
    index,
    name: 'NVIDIA GeForce RTX 3090',
    totalBytes: mib * MiB,
    usableBytes: mib * MiB,
    freeBytes: mib * MiB,
  })),
  links: [],
  hostTotalBytes: 64 * GiB,
  hostAvailableBytes: 40 * GiB,
  replacedJob: null,
  correction: noCorrection,
});

const answersWith = (wishes: Partial<PlanWishes>): PlanAnswers => ({
  ...defaultAnswers,
  model: {
    kind: 'sizes',
    sizes: {
      layers: 4,
      hiddenSize: 512,
      heads: 8,
      keyValueHeads: 8,
      intermediateSize: 1536,
      vocabularySize: 8000,
      tiedEmbeddings: false,
    },
  },
  wishes: { ...defaultWishes, sequence: 512, ...wishes },
});

function questionFrom(answers: PlanAnswers, machine: Machine): PlanQuestion {
  const model = readModelAnswer(answers.model);
  if (model.kind === 'refused') throw new Error(model.why.key);
  const reading = readQuestion(answers, machine, model.model);
  if (reading.kind === 'incomplete') throw new Error(reading.why.key);
  return reading.question;
}

interface Taken {
  readonly asked: AskAnswer;
  readonly answers: PlanAnswers;
}

/** Asks, and goes on with the answer. */
function taken(what: Ask, wishes: Partial<PlanWishes>, machine: Machine): Taken {
  const before = answersWith(wishes);
  const asked = ask(questionFrom(before, machine), what);
  const answers = answersOfAsk(before, machine, what, asked);
  if (answers === null) throw new Error(`nothing to take over: ${asked.why.key}`);
  return { asked, answers };
}

describe('an answer to what was asked back', () => {
  it.each<[Ask, Partial<PlanWishes>, number]>([
    ['longest-seq', { method: 'lora', loraDropout: 0.1 }, 900],
    ['longest-seq', { strategy: 'pipeline', checkpointing: 'none' }, 1500],
    ['longest-seq', { globalBatch: 12, strategy: 'ddp', checkpointing: 'full' }, 1900],
    ['largest-batch', {}, 900],
    ['largest-batch', { strategy: 'pipeline' }, 900],
    ['smallest-card', {}, 900],
    ['smallest-card', { globalBatch: 12, attention: 'eager', strategy: 'ddp' }, 900],
    ['cheapest-change', { microBatch: 8, attention: 'eager', sequence: 1024, strategy: 'ddp' }, 1800],
    ['cheapest-change', { globalBatch: 12, sequence: 4096, strategy: 'ddp' }, 2200],
    [
      'cheapest-change',
      { method: 'lora', loraDropout: 0.1, loraRank: 8, microBatch: 8, sequence: 1024 },
      2100,
    ],
    ['cheapest-change', { method: 'qlora', doubleQuant: true, microBatch: 8, sequence: 1024 }, 2100],
  ])('%s with %o on %d MiB is what the planner then finds', (what, wishes, mib) => {
    const machine = machineOf(mib);
    const { answers, asked } = taken(what, wishes, machine);
    const found = plan(questionFrom(answers, machine)).plans.find(
      ({ changesTraining, microBatch, strategy }) =>
        !changesTraining && microBatch === asked.plan?.microBatch && strategy === asked.plan.strategy,
    );
    expect([found?.verdict, found?.accumulationSteps, found?.cards.length]).toEqual([
      asked.plan?.verdict,
      asked.plan?.accumulationSteps,
      asked.plan?.cards.length,
    ]);
    if (what !== 'largest-batch') expect(found?.verdict).toBe('fits');
  });

  it('keeps all that was wished beside what changes', () => {
    const wishes = {
      method: 'qlora',
      doubleQuant: true,
      loraDropout: 0.1,
      loraRank: 8,
      attention: 'eager',
      microBatch: 8,
      sequence: 1024,
    } as const;
    const { answers, asked } = taken('cheapest-change', wishes, machineOf(1800));
    const { checkpointing, microBatch } = asked.plan ?? {};
    expect(answers.wishes).toMatchObject({
      ...wishes,
      microBatch,
      checkpointing: checkpointing?.kind,
      globalBatch: 16,
    });
  });

  it('names the cards as they are named in this machine, in the sizes that are enough', () => {
    const { answers, asked } = taken('smallest-card', {}, machineOf(900));
    expect(answers.cards).toEqual({
      kind: 'given',
      text: `${asked.plan?.world} x ${Math.ceil(Number(asked.answer) / MiB)} MiB`,
      cardName: 'NVIDIA GeForce RTX 3090',
    });
    const typed = answersWith({});
    const given = { ...typed, cards: { kind: 'given', text: '2 x 900 MiB', cardName: 'A100' } } as const;
    expect(answersOfAsk(given, machineOf(900), 'smallest-card', asked)?.cards).toMatchObject({
      cardName: 'A100',
    });
  });

  it('changes nothing where there is none', () => {
    const none = { answer: null, plan: null, why: { key: 'app.doctor', values: {} } } as const;
    expect(answersOfAsk(defaultAnswers, machineOf(900), 'longest-seq', none)).toBeNull();
  });
});
