import { describe, expect, it } from 'vitest';
import { translate } from '../../../../../shared/i18n/translate';
import { plan } from '../../../../../shared/strategy/plan';
import { tightestCard } from '../../../../../shared/strategy/tightest';
import { settingRows, sizeRows, timeRatio } from '../../../../../shared/strategy/view/compare';
import type { Plan } from '../../../../../shared/strategy/types';
import { cardsOf, questionOf, smallLlama } from '../questions';

const model = smallLlama(512, 4, 2000);

function planFor(wishes: Readonly<Record<string, unknown>>): Plan {
  const common = { seq: 256, contextMib: 300, microBatch: 2, accumulation: 1 };
  const [best] = plan(questionOf(model, cardsOf(8000, 8000), { ...common, ...wishes })).plans;
  if (best === undefined) throw new Error('no plan');
  return best;
}

const kept = planFor({ strategy: 'ddp', checkpointing: 'none', world: 2 });
const sharded = planFor({ strategy: 'fsdp-full', checkpointing: 'full', world: 2 });
const adapters = planFor({ strategy: 'ddp', checkpointing: 'none', world: 2, method: 'lora', loraRank: 8 });

describe('two plans side by side', () => {
  it('differ where their settings do, and nowhere else', () => {
    const rows = settingRows(kept, sharded);
    expect(rows.filter(({ differs }) => differs).map(({ label }) => translate('en', label))).toEqual([
      'Strategy',
      'Activations',
    ]);
    expect(settingRows(kept, kept).some(({ differs }) => differs)).toBe(false);
    expect(rows.find(({ label }) => label.key === 'planStep.settingCards')?.one).toEqual({
      key: 'planStep.cardList',
      values: { count: 2, indices: '0, 1' },
    });
  });

  it('tell the adapters where either has some', () => {
    const keys = (one: Plan, other: Plan) => settingRows(one, other).map(({ label }) => label.key);
    expect(keys(kept, sharded)).not.toContain('planStep.settingRank');
    const row = settingRows(kept, adapters).find(({ label }) => label.key === 'planStep.settingRank');
    expect([row?.one.key, row?.other.values, row?.differs]).toEqual(['planStep.none', { value: 8 }, true]);
  });

  it('add up to what each process holds', () => {
    for (const [one, other] of [
      [kept, sharded],
      [kept, adapters],
    ] as const) {
      const rows = sizeRows(one, other);
      const total = rows.find(({ label }) => label.kind === 'process');
      const parts = rows.filter(({ label }) => label.kind !== 'process' && label.kind !== 'host');
      expect(parts.reduce((sum, { oneBytes }) => sum + oneBytes, 0)).toBe(total?.oneBytes);
      expect(parts.reduce((sum, { otherBytes }) => sum + otherBytes, 0)).toBe(total?.otherBytes);
      expect(total?.oneBytes).toBe(tightestCard(one.cards)?.processBytes);
      expect(rows.some(({ label }) => label.kind === 'host')).toBe(false);
    }
  });

  it('look at the card with least room, not at the one that holds most', () => {
    const [card] = kept.cards;
    if (card === undefined) throw new Error('no card');
    const roomy = { ...card, rank: 0, processBytes: 9, cardBytes: 20 };
    const tight = { ...card, rank: 1, processBytes: 7, cardBytes: 8 };
    expect(tightestCard([roomy, tight])?.rank).toBe(1);
    expect(
      tightestCard([
        { ...tight, cardBytes: null },
        { ...roomy, cardBytes: null },
      ])?.rank,
    ).toBe(0);
    expect(tightestCard([])).toBeNull();
  });

  it('show the shards: half of weights and optimizer on each of two cards', () => {
    const size = (kind: string) =>
      sizeRows(kept, sharded).find(({ label }) => label.kind === 'memory' && label.memory === kind);
    const optimizer = size('optimizer');
    expect((optimizer?.otherBytes ?? 0) / (optimizer?.oneBytes ?? 1)).toBeCloseTo(0.5, 1);
  });

  it('tell memory of the machine where one offloads', () => {
    const offloaded = planFor({ strategy: 'fsdp-full', world: 2, offload: 'all' });
    const host = sizeRows(kept, offloaded).find(({ label }) => label.kind === 'host');
    expect(host?.oneBytes).toBe(0);
    expect(host?.otherBytes).toBe(offloaded.hostBytes);
    expect(offloaded.hostBytes).toBeGreaterThan(0);
  });

  it('tell how much longer a sample takes', () => {
    expect(timeRatio({ ...kept, relativeStepTime: 1.2 }, { ...kept, relativeStepTime: 1.5 })).toBeCloseTo(
      1.25,
    );
    expect(timeRatio({ ...kept, relativeStepTime: 0 }, kept)).toBeNull();
  });
});

describe('a pipeline beside another plan', () => {
  it('tells its schedule and the layers of its stages', () => {
    const asked = { seq: 256, contextMib: 300, strategy: 'pipeline', schedule: 'gpipe', world: 2 };
    const [staged] = plan(questionOf(model, cardsOf(8000, 8000), asked)).plans;
    if (staged === undefined) throw new Error('no plan');
    const rows = settingRows(kept, staged);
    const texts = rows
      .filter(({ label }) => /Schedule|Stages/.test(label.key))
      .map(({ label, one, other }) => [label, one, other].map((text) => translate('en', text)));
    expect(texts).toEqual([
      ['Schedule of the stages', 'none', 'GPipe'],
      ['Layers of the stages', 'none', '2 + 2'],
    ]);
  });
});
