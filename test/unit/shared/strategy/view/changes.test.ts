import { describe, expect, it } from 'vitest';
import { message } from '../../../../../shared/i18n/message';
import { changesOf, type PlanChange } from '../../../../../shared/strategy/detail';
import { plan } from '../../../../../shared/strategy/plan';
import { costOf, groupedChanges } from '../../../../../shared/strategy/view/changes';
import { MiB } from '../../../../../shared/units';
import { cardsOf, questionOf, smallLlama } from '../questions';

const change = (
  kind: PlanChange['kind'],
  savedMib: number,
  relativeStepTime: number,
  changesResults = false,
): PlanChange => ({
  kind,
  name: message('planChange.checkpointing'),
  wishes: {},
  processPeakBytes: 10_000 * MiB,
  savedBytes: savedMib * MiB,
  relativeStepTime,
  verdict: 'fits',
  changesResults,
});

describe('single changes', () => {
  it('cost nothing, time, other training, memory, or help not at all', () => {
    expect(costOf(change('fused-optimizer', 500, 0.97))).toBe('free');
    expect(costOf(change('fused-optimizer', -20, 0.97))).toBe('free');
    expect(costOf(change('fused-optimizer', 20, 1))).toBe('no-help');
    expect(costOf(change('attention-kernel', 500, 1.01))).toBe('free');
    expect(costOf(change('checkpointing', 500, 1.31))).toBe('slower');
    expect(costOf(change('precision', 500, 0.9, true))).toBe('other-training');
    expect(costOf(change('no-checkpointing', -500, 0.75))).toBe('faster');
    expect(costOf(change('full-shards', 0, 1.2))).toBe('no-help');
    expect(costOf(change('lora', -500, 0.7, true))).toBe('no-help');
  });

  it('are told in that order, the cheapest first, and of equally cheap ones what saves most', () => {
    const groups = groupedChanges([
      change('full-shards', 0, 1.2),
      change('lora', 900, 0.7, true),
      change('offload', 800, 6),
      change('checkpointing', 300, 1.301),
      change('micro-batch', 400, 1.3),
      change('fused-optimizer', 200, 1),
    ]);
    expect(groups.map(({ changes, cost }) => [cost, ...changes.map(({ kind }) => kind)])).toEqual([
      ['free', 'fused-optimizer'],
      ['slower', 'micro-batch', 'checkpointing', 'offload'],
      ['other-training', 'lora'],
      ['no-help', 'full-shards'],
    ]);
    expect(groupedChanges([])).toEqual([]);
  });

  it('of a plan of the engine: recomputing saves activations for time', () => {
    const question = questionOf(smallLlama(512, 8, 2000), cardsOf(8000), {
      seq: 1024,
      strategy: 'single',
      checkpointing: 'none',
      optimizer: 'adamw',
      microBatch: 4,
    });
    const [best] = plan(question).plans;
    if (best === undefined) throw new Error('no plan');
    const costs = new Map(
      groupedChanges([...changesOf(question, best)]).flatMap(({ changes, cost }) =>
        changes.map(({ kind }) => [kind, cost] as const),
      ),
    );
    expect(costs.get('checkpointing')).toBe('slower');
    expect(costs.get('precision')).toBe('other-training');
    expect(costs.get('sequence')).toBe('other-training');
  });
});
