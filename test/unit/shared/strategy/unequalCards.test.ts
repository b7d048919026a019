import { describe, expect, it } from 'vitest';
import { ask } from '../../../../shared/strategy/ask';
import { changesOf } from '../../../../shared/strategy/detail';
import { quickFit } from '../../../../shared/strategy/judge';
import { plan, planning } from '../../../../shared/strategy/plan';
import { tightestCard } from '../../../../shared/strategy/tightest';
import type { Draft } from '../../../../shared/strategy/types';
import { rowsOfDrafts } from '../../../../shared/strategy/wizard/rows';
import { GiB, MiB } from '../../../../shared/units';
import { cardsOf, catalogued, questionOf, smallLlama } from './questions';

const tiny = catalogued('tinyllama-1.1b');
const [large, small] = [48 * 1024, 24 * 1024];
const wishes = {
  seq: 2048,
  card: 'RTX 3090',
  contextMib: 1000,
  precision: 'amp-bf16',
  checkpointing: 'none',
  microBatch: 2,
  accumulation: 8,
};

describe('a pipeline on cards of 48 and 24 GiB whose first stage needs more than 24', () => {
  const question = questionOf(tiny, cardsOf(large, small), {
    ...wishes,
    strategy: 'pipeline',
    schedule: '1f1b',
  });
  const [best] = plan(question).plans;
  if (best === undefined) throw new Error('no plan');

  it('fits: each stage is held against its own card', () => {
    expect([best.strategy, best.verdict, best.stageLayers]).toEqual(['pipeline', 'fits', [15, 7]]);
    const [first, second] = best.cards;
    expect((first?.processBytes ?? 0) / GiB).toBeGreaterThan(24);
    expect((first?.processBytes ?? Infinity) / GiB).toBeLessThan(48);
    expect((second?.processBytes ?? Infinity) / GiB).toBeLessThan(24);
  });

  it('is told of by the card with the least room', () => {
    expect(best.why.values).toMatchObject({
      peak: tightestCard(best.cards)?.processBytes,
      card: tightestCard(best.cards)?.cardBytes,
    });
  });

  it('still fits after each change that saves memory', () => {
    const changes = [...changesOf(question, best)];
    const saving = changes.filter(({ savedBytes }) => savedBytes >= 0);
    expect(saving.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['checkpointing', 'sequence']));
    for (const { kind, verdict } of saving) expect([kind, verdict]).toEqual([kind, 'fits']);
  });

  it('has nothing to change', () => {
    expect(ask(question, 'cheapest-change').why.key).toBe('strategy.nothingToChange');
  });

  it('is shown as a draft with each stage on its own card', () => {
    const drafts: Draft[] = [];
    for (const update of planning(question)) if (update.kind === 'draft') drafts.push(update.draft);
    const [row] = rowsOfDrafts(drafts);
    expect(row?.cards).toHaveLength(2);
    for (const { expectedBytes, totalBytes } of row?.cards ?? [])
      expect(expectedBytes).toBeLessThan(totalBytes);
  });
});

describe('DataParallel, whose first card holds the optimizer', () => {
  it('needs a large card only once', () => {
    const { request } = questionOf(tiny, [], { ...wishes, strategy: 'dp', world: 2, checkpointing: 'full' });
    const fit = (mib: readonly number[]) => quickFit(tiny, { ...request, cardMib: mib });
    const { ranks, verdict } = fit([large, small / 2]);
    const [first, second] = ranks;
    // 16 bytes a parameter and the sums of gradients on the first, weights and gradients on the other.
    expect((first?.peakBytes ?? 0) / (1.1e9 * 16)).toBeGreaterThan(1);
    expect((second?.peakBytes ?? Infinity) / (1.1e9 * 16)).toBeLessThan(0.75);
    expect(verdict).toBe('fits');
    expect(fit([small / 2, large]).verdict).toBeNull();
    expect(fit([small / 2, large]).tightest.rank).toBe(0);
  });
});

describe('the card that decides', () => {
  const card = (cardBytes: number | null, processBytes: number) => ({ cardBytes, processBytes });

  it('is the one with the least room in bytes, though another is fuller by its share', () => {
    expect(tightestCard([card(80, 76), card(8, 7)])).toEqual(card(8, 7));
    expect(tightestCard([card(80, 76), card(8, 3)])).toEqual(card(80, 76));
  });

  it('is the one that holds most where no size is known, the first of equal ones, and none of none', () => {
    expect(tightestCard([card(null, 3), card(null, 5)])).toEqual(card(null, 5));
    const [one, other] = [card(8, 7), card(8, 7)];
    expect(tightestCard([one, other])).toBe(one);
    expect(tightestCard([])).toBeNull();
  });
});

describe('a refusal', () => {
  it('of a pipeline names the stage and the card that are short', () => {
    const deep = smallLlama(512, 8, 2000);
    const question = questionOf(deep, cardsOf(900, 500), {
      seq: 1024,
      contextMib: 300,
      card: 'RTX 3090',
      strategy: 'pipeline',
      world: 2,
      checkpointing: 'none',
      microBatch: 8,
    });
    const [refused] = plan(question).refused;
    const { card, index, need } = refused?.why.values ?? {};
    expect(refused?.why.key).toBe('strategy.peak');
    expect(Number(need)).toBeGreaterThan(Number(card));
    expect(card).toBe((index === 0 ? 900 : 500) * MiB);
    expect(refused?.gap).toEqual({ needBytes: need, cardBytes: card });
  });
});
