import { describe, expect, it } from 'vitest';
import { detailOf } from '../../../../../shared/strategy/detail';
import { plan } from '../../../../../shared/strategy/plan';
import { drawnMicroBatches, drawnPeakBytes, stepGroups } from '../../../../../shared/strategy/view/step';
import { MiB } from '../../../../../shared/units';
import { cardsOf, questionOf, smallLlama } from '../questions';

const model = smallLlama(512, 8, 2000);
const common = { seq: 256, contextMib: 300, card: 'RTX 3090', checkpointing: 'none' };

function shown(wishes: Readonly<Record<string, unknown>>, ...mib: readonly number[]) {
  const question = questionOf(model, cardsOf(...mib), { ...common, ...wishes });
  const [best] = plan(question).plans;
  if (best === undefined) throw new Error('no plan');
  const detail = detailOf(question, best);
  if (detail.kind === 'refused') throw new Error(detail.why.key);
  return { best, cards: detail.detail.cards };
}

describe('the cards of a step', () => {
  it('are one group where all do the same, which then decides', () => {
    const { best, cards } = shown({ strategy: 'ddp', microBatch: 1, accumulation: 1 }, 8000, 8000);
    const groups = stepGroups(best, cards);
    expect(groups.map(({ indices, isTightest }) => [indices, isTightest])).toEqual([[[0, 1], true]]);
    expect(groups[0]?.card.timeline.length).toBeGreaterThan(0);
  });

  it('stand in nvidia-smi’s order, though the largest has the first stage; the one with least room decides', () => {
    const { best, cards } = shown({ strategy: 'pipeline', microBatch: 1, accumulation: 4 }, 700, 8000);
    expect(best.cardIndices).toEqual([1, 0]);
    const groups = stepGroups(best, cards);
    expect(groups.map(({ card, indices, isTightest }) => [indices, card.rank, isTightest])).toEqual([
      [[0], 1, true],
      [[1], 0, false],
    ]);
  });
});

describe('what of a step is not drawn', () => {
  const drawn = (wishes: Readonly<Record<string, unknown>>, ...mib: readonly number[]): string | null => {
    const { best, cards } = shown(wishes, ...mib);
    const [card] = cards;
    return card === undefined ? null : (drawnMicroBatches(best, card)?.key ?? null);
  };

  it('is nothing where every micro-batch is played', () => {
    expect(drawn({ strategy: 'single', microBatch: 1, accumulation: 1 }, 8000)).toBeNull();
    expect(drawn({ strategy: 'single', microBatch: 1, accumulation: 2 }, 8000)).toBeNull();
    expect(drawn({ strategy: 'ddp', microBatch: 1, accumulation: 3 }, 8000, 8000)).toBeNull();
  });

  it('is said where micro-batches repeat, and that the last one of DDP is drawn', () => {
    expect(drawn({ strategy: 'single', microBatch: 1, accumulation: 4 }, 8000)).toBe('planStep.roundsShown');
    expect(drawn({ strategy: 'ddp', microBatch: 1, accumulation: 4 }, 8000, 8000)).toBe(
      'planStep.roundsAndLastShown',
    );
    expect(drawn({ strategy: 'pipeline', microBatch: 1, accumulation: 4 }, 8000, 8000)).toBe(
      'planStep.pipelineShown',
    );
  });

  it('is nothing before the step has been played', () => {
    const { best } = shown({ strategy: 'single', microBatch: 1, accumulation: 4 }, 8000);
    const [card] = best.cards;
    if (card === undefined) throw new Error('no card');
    expect([drawnMicroBatches(best, card), drawnPeakBytes(card)]).toEqual([null, null]);
  });

  it('may be the peak: then the drawn step’s own is told, with CUDA', () => {
    const { cards } = shown({ strategy: 'single', microBatch: 1, accumulation: 1 }, 8000);
    const [card] = cards;
    if (card === undefined) throw new Error('no card');
    const highest = Math.max(...card.timeline.map(({ allocatedBytes }) => allocatedBytes));
    const withPeak = (allocatedPeakBytes: number) => drawnPeakBytes({ ...card, allocatedPeakBytes });
    expect(withPeak(highest + MiB)).toBeNull();
    expect(withPeak(highest + MiB + 1)).toBe(highest + 300 * MiB);
  });
});
