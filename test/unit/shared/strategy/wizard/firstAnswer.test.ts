import { describe, expect, it } from 'vitest';
import { translate } from '../../../../../shared/i18n/translate';
import { plan } from '../../../../../shared/strategy/plan';
import type { Refusal } from '../../../../../shared/strategy/types';
import { insteadName } from '../../../../../shared/strategy/wizard/chips';
import { firstAnswer, type FirstAnswer } from '../../../../../shared/strategy/wizard/firstAnswer';
import { rowOfPlan, type PlanRow } from '../../../../../shared/strategy/wizard/rows';
import { GiB, MiB } from '../../../../../shared/units';
import { cardsOf, catalogued, questionOf, smallLlama } from '../questions';

type Question = Parameters<typeof plan>[0];

function answerOf(question: Question): FirstAnswer {
  const { plans, refused } = plan(question);
  const rows = plans.map((one) => rowOfPlan(one, question.cards, null));
  return firstAnswer(question.request.training.method.kind, rows, refused);
}

describe('the first answer', () => {
  it('is the best plan of what was asked, with the card that has least room', () => {
    const cards = [
      { index: 0, totalBytes: 8000 * MiB, freeBytes: 8000 * MiB },
      { index: 1, totalBytes: 8000 * MiB, freeBytes: 6000 * MiB },
    ];
    const question = questionOf(smallLlama(512, 4, 32_000), cards, {
      seq: 512,
      strategy: 'ddp',
      world: 2,
      card: 'RTX 3090',
    });
    expect(answerOf(question)).toMatchObject({
      kind: 'fits',
      method: 'full',
      plan: { verdict: 'fits', cardBytes: 6000 * MiB, row: { rank: 1 } },
    });
  });

  it('names what can be trained instead, and how far the nearest of what was asked is from a card', () => {
    const wishes = { seq: 1024, contextMib: 500, card: 'RTX 3090', precision: 'bf16', checkpointing: 'full' };
    const cards = cardsOf(24_564, 24_564);
    const question = questionOf(catalogued('llama-2-13b'), cards, wishes, { hostBytes: 64 * GiB });
    const answer = answerOf(question);
    if (answer.kind !== 'instead') throw new Error(answer.kind);
    expect(answer.plan.row.changesTraining).toBe(true);
    const names = insteadName(answer.plan.row.request, 'full').map((part) => translate('en', part));
    expect(names.join()).toMatch(/^Q?LoRA r16$/);
    if (answer.nearest?.kind !== 'size') throw new Error('no size');
    // Two cards that share weights, gradients and optimizer hold half of 8 bytes a parameter each.
    expect(answer.nearest.needBytes / GiB).toBeGreaterThan(24);
    expect(answer.nearest.needBytes / GiB).toBeLessThan(194);
    expect(answer.nearest.cardBytes).toBe(24_564 * MiB);
  });

  it('says why where nothing fits at all', () => {
    const answer = answerOf(questionOf(catalogued('llama-2-13b'), cardsOf(1024), { seq: 1024 }));
    expect(answer).toMatchObject({ kind: 'nothing', method: 'full', nearest: { kind: 'size' } });
  });

  it('tells a refusal that is not about a size by its reason', () => {
    const refused: readonly Refusal[] = [
      { strategy: 'single', method: 'lora', why: { key: 'strategy.noCards', values: {} }, gap: null },
      { strategy: 'ddp', method: 'full', why: { key: 'strategy.noCards', values: {} }, gap: null },
    ];
    expect(firstAnswer('full', [], refused)).toEqual({
      kind: 'nothing',
      method: 'full',
      nearest: { kind: 'reason', why: { key: 'strategy.noCards', values: {} } },
    });
    expect(firstAnswer('full', [], [])).toEqual({ kind: 'nothing', method: 'full', nearest: null });
  });

  it('is told by what is kept smaller where the same parameters are trained', () => {
    const question = questionOf(smallLlama(512, 4, 32_000), cardsOf(8000), { seq: 512, precision: 'bf16' });
    const [row] = plan(question).plans.map((one): PlanRow => rowOfPlan(one, question.cards, null));
    if (row === undefined) throw new Error('no plan');
    const names = insteadName(row.request, 'full').map((part) => translate('en', part));
    expect(names).toEqual(['bf16', 'AdamW (fused)']);
  });
});
