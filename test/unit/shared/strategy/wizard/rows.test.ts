import { describe, expect, it } from 'vitest';
import { message, type Message } from '../../../../../shared/i18n/message';
import { translate } from '../../../../../shared/i18n/translate';
import { changesOf, detailOf, largestOf } from '../../../../../shared/strategy/detail';
import { plan, planning } from '../../../../../shared/strategy/plan';
import type { Draft } from '../../../../../shared/strategy/types';
import { rowChips } from '../../../../../shared/strategy/wizard/chips';
import { inWords } from '../../../../../shared/strategy/wizard/names';
import { keyOf } from '../../../../../shared/strategy/wizard/rowKey';
import {
  rowOfPlan,
  rowsOfDrafts,
  shownDrafts,
  sortRows,
  type PlanRow,
} from '../../../../../shared/strategy/wizard/rows';
import { GiB, MiB } from '../../../../../shared/units';
import { cardsOf, catalogued, questionOf, smallLlama } from '../questions';

const small = smallLlama(512, 4, 8000);
const question = questionOf(small, cardsOf(3072, 3072), { seq: 256, card: 'RTX 3090' });
const answer = plan(question);
const [best] = answer.plans;
if (best === undefined) throw new Error('nothing fits');

describe('rows', () => {
  it('show equal cards as one, with the interval and what others hold', () => {
    const two = answer.plans.find(({ world }) => world === 2);
    if (two === undefined) throw new Error('no plan for two cards');
    const [row, more] = rowOfPlan(two, question.cards, null).cards;
    const estimate = two.cards[0];
    expect(more).toBeUndefined();
    expect(row).toEqual({
      indices: [0, 1],
      totalBytes: 3 * GiB,
      heldBytes: 0,
      expectedBytes: estimate?.processBytes,
      lowBytes: estimate?.interval.lowBytes,
      highBytes: estimate?.interval.highBytes,
    });
  });

  it('show unequal cards apart, in nvidia-smi’s order', () => {
    const cards = [
      { index: 0, totalBytes: 24 * GiB, freeBytes: 3 * GiB },
      { index: 1, totalBytes: 24 * GiB, freeBytes: 24 * GiB },
    ];
    const uneven = plan(questionOf(small, cards, { seq: 256, world: 2, strategy: 'ddp' }));
    const rows = uneven.plans.map((one) => rowOfPlan(one, cards, null));
    expect(rows[0]?.cards.map(({ heldBytes, indices }) => [indices, heldBytes])).toEqual([
      [[0], 21 * GiB],
      [[1], 0],
    ]);
  });

  it('keep the key of a draft when it is judged', () => {
    const drafts: Draft[] = [];
    for (const update of planning(question)) if (update.kind === 'draft') drafts.push(update.draft);
    const keys = rowsOfDrafts(drafts).map(({ key }) => key);
    expect(answer.plans.every(({ request }) => keys.includes(keyOf(request)))).toBe(true);
    expect(new Set(keys).size).toBe(keys.length);
    expect(
      Math.min(...rowsOfDrafts(drafts).map(({ relativeStepTime }) => relativeStepTime)),
    ).toBeLessThanOrEqual(1);
  });

  it.each([
    ['a pipeline’s schedules', smallLlama(1024, 16, 32_000), cardsOf(...Array<number>(8).fill(2048))],
    ['full fine-tuning of 13B', catalogued('llama-2-13b'), cardsOf(24_564, 24_564)],
  ])('have keys of their own: %s', (_what, architecture, cards) => {
    const asked = questionOf(architecture, cards, { seq: 1024, card: 'RTX 3090' });
    const drafts: Draft[] = [];
    const steps = planning(asked);
    let step = steps.next();
    for (; step.done !== true; step = steps.next())
      if (step.value.kind === 'draft') drafts.push(step.value.draft);
    for (const keys of [
      rowsOfDrafts(drafts).map(({ key }) => key),
      step.value.plans.map(({ request }) => keyOf(request)),
    ]) {
      expect(keys.length).toBeGreaterThan(2);
      expect(keys.filter((key, place) => keys.indexOf(key) !== place)).toEqual([]);
    }
  });

  it('are one draft for each strategy while drafts come', () => {
    const drafts: Draft[] = [];
    for (const update of planning(question)) if (update.kind === 'draft') drafts.push(update.draft);
    const shown = shownDrafts(drafts);
    const strategies = shown.map(({ candidate: { request } }) => `${request.strategy} ${request.offload}`);
    expect(new Set(strategies).size).toBe(strategies.length);
    expect(shown[0]).toBe(drafts[0]);
    expect(shown.length).toBeLessThanOrEqual(10);
  });

  it('are sorted by a column and back', () => {
    const rows = answer.plans.map((one) => rowOfPlan(one, question.cards, null));
    const times = (sorted: readonly PlanRow[]) => sorted.map(({ relativeStepTime }) => relativeStepTime);
    const rising = times(sortRows(rows, 'time', false));
    expect(rising).toEqual([...rising].sort((a, b) => a - b));
    expect(times(sortRows(rows, 'time', true))).toEqual([...rising].sort((a, b) => b - a));
    expect(sortRows(rows, 'rank', true)).toBe(rows);
  });

  it('name a strategy as people do in the reasons why it is not possible', () => {
    const why = plan(questionOf(smallLlama(2048, 32, 32000), cardsOf(2048, 2048), { strategy: 'zero1' }))
      .refused[0]?.why;
    if (why === undefined) throw new Error('it fits');
    const say = (text: Message): string => translate('en', text);
    expect(say(why)).toContain('zero1 keeps the weights whole');
    expect(say(inWords(why, say))).toContain('ZeRO-1 keeps the weights whole');
    expect(inWords(message('app.doctor'), say)).toEqual(message('app.doctor'));
  });

  it('say in short what tells them apart', () => {
    const { request } = questionOf(small, [], {
      method: 'lora',
      precision: 'bf16',
      checkpointing: 'full',
      offload: 'all',
      world: 2,
    });
    expect(rowChips(request).map((chip) => translate('en', chip))).toEqual([
      '2 cards',
      'LoRA r16',
      'bf16',
      'AdamW (fused)',
      'activations recomputed',
      'weights and optimizer in host memory',
    ]);
  });
});

describe('a plan looked at closely', () => {
  it('has the course of its step, at most 400 points a card', () => {
    const detail = detailOf(question, best);
    if (detail.kind === 'refused') throw new Error(detail.why.key);
    const { cards, changes, maxMicroBatch, parameters, trainableParameters } = detail.detail;
    expect(cards.map(({ rank }) => rank)).toEqual(best.cards.map(({ rank }) => rank));
    for (const card of cards) {
      expect(card.timeline.length).toBeGreaterThan(10);
      expect(card.timeline.length).toBeLessThanOrEqual(400);
    }
    expect(trainableParameters).toBe(parameters);
    expect({ changes, maxMicroBatch }).toEqual({ changes: [], maxMicroBatch: null });
  });

  it('knows what each single change would do', () => {
    const changes = [...changesOf(question, best)];
    const kinds = changes.map(({ kind }) => kind);
    expect(kinds).toEqual(
      expect.arrayContaining(['checkpointing', 'precision', 'sequence', 'lora', 'qlora']),
    );
    expect(new Set(kinds).size).toBe(kinds.length);
    const checkpointing = changes.find(({ kind }) => kind === 'checkpointing');
    expect(checkpointing?.savedBytes).toBeGreaterThan(0);
    expect(checkpointing?.relativeStepTime).toBeGreaterThan(1);
    expect(checkpointing).toMatchObject({ changesResults: false, wishes: { checkpointing: 'full' } });
    expect(changes.find(({ kind }) => kind === 'lora')).toMatchObject({ changesResults: true });
  });

  it('keeps the batch of a step where the micro-batch is halved', () => {
    const half = [...changesOf(question, best)].find(({ kind }) => kind === 'micro-batch');
    expect(half?.wishes).toEqual({ microBatch: best.microBatch / 2, globalBatch: 16 });
  });

  it('never says that fewer samples fit at once than the plan has', () => {
    const largest = largestOf(question, best);
    expect(largest === null || largest >= best.microBatch).toBe(true);
    expect(best.cards.every(({ cardBytes }) => cardBytes === 3072 * MiB)).toBe(true);
  });
});
