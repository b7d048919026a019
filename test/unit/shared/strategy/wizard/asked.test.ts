import { describe, expect, it } from 'vitest';
import { ask } from '../../../../../shared/strategy/ask';
import { answersOfAsk } from '../../../../../shared/strategy/wizard/asked';
import { DEFAULT_ANSWERS, DEFAULT_WISHES } from '../../../../../shared/strategy/wizard/defaults';
import { cardsOf, questionOf, smallLlama } from '../questions';

const small = smallLlama(512, 4, 8000);
const question = questionOf(small, cardsOf(2048, 2048), { seq: 256, card: 'RTX 3090' });

describe('an answer to what was asked back', () => {
  it('becomes the sequence, the batch or the cards of the wizard', () => {
    const longest = ask(question, 'longest-seq');
    expect(answersOfAsk(DEFAULT_ANSWERS, 'longest-seq', longest)?.wishes).toEqual({
      ...DEFAULT_WISHES,
      sequence: longest.answer,
    });
    const largest = ask(question, 'largest-batch');
    expect(answersOfAsk(DEFAULT_ANSWERS, 'largest-batch', largest)?.wishes).toMatchObject({
      globalBatch: largest.answer,
      microBatch: largest.plan?.microBatch,
    });
    const smallest = ask(question, 'smallest-card');
    const mib = Math.ceil(Number(smallest.answer) / 2 ** 20);
    expect(answersOfAsk(DEFAULT_ANSWERS, 'smallest-card', smallest)?.cards).toEqual({
      kind: 'given',
      text: `${smallest.plan?.world} x ${mib} MiB`,
      cardName: null,
    });
  });

  it('becomes the wishes of the plan that one change makes fit', () => {
    const tight = questionOf(small, cardsOf(900, 900), { seq: 1024, card: 'RTX 3090', contextMib: 100 });
    const change = ask(tight, 'cheapest-change');
    expect(change.plan).not.toBeNull();
    const answers = answersOfAsk(DEFAULT_ANSWERS, 'cheapest-change', change);
    if (change.answer === null) expect(answers).toBeNull();
    else
      expect(answers?.wishes).toMatchObject({
        strategy: change.plan?.strategy,
        precision: change.plan?.precision,
        offload: change.plan?.offload,
        sequence: change.plan?.request.training.sequence,
      });
  });

  it('changes nothing where there is none', () => {
    const none = { answer: null, plan: null, why: { key: 'app.doctor', values: {} } } as const;
    expect(answersOfAsk(DEFAULT_ANSWERS, 'longest-seq', none)).toBeNull();
  });
});
