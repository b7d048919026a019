import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { precisionNames, strategyNames } from '../../../../shared/memory/configuration';
import { estimate } from '../../../../shared/memory/estimate';
import { played } from '../../../../shared/strategy/judge';
import { cardsOf, questionOf, smallLlama } from './questions';

const model = smallLlama(128, 2, 256);

describe('a step of many micro-batches', () => {
  it('is as large as the few that the planner plays of it', () => {
    const configurations = fc.record({
      strategy: fc.constantFrom(...strategyNames.filter((strategy) => strategy !== 'single')),
      method: fc.constantFrom('full', 'lora'),
      precision: fc.constantFrom(...precisionNames),
      checkpointing: fc.constantFrom('none', 'full', 'segments:2'),
      accumulation: fc.constantFrom(3, 5, 8),
      seq: fc.constantFrom(8, 64),
    });
    fc.assert(
      fc.property(configurations, (wishes) => {
        const { request } = questionOf(model, cardsOf(), { ...wishes, world: 2, attention: 'efficient' });
        const [whole, few] = [request, played(request)].map((asked) => {
          const answer = estimate(model, asked, false);
          return answer.kind === 'refused' ? null : answer.estimate.cards;
        });
        expect(few?.map(({ allocatedPeakBytes }) => allocatedPeakBytes)).toEqual(
          whole?.map(({ allocatedPeakBytes }) => allocatedPeakBytes),
        );
      }),
      { numRuns: 25 },
    );
  });

  it('has one kind more where the last one exchanges: gradients are there and are not exchanged yet', () => {
    const accumulationsOf = (gradientSync: string | null): readonly number[] =>
      ['ddp', 'ddp-bucket-view', 'fsdp-full', 'zero1', 'zero2', 'pipeline'].map(
        (strategy) =>
          played(questionOf(model, cardsOf(), { strategy, gradientSync, world: 2, accumulation: 8 }).request)
            .training.accumulation,
      );
    expect(accumulationsOf('last')).toEqual([3, 3, 3, 3, 2, 8]);
    expect(accumulationsOf('each')).toEqual([2, 2, 2, 3, 2, 8]);
    expect(accumulationsOf(null)).toEqual([3, 2, 2, 3, 2, 8]);
  });
});
