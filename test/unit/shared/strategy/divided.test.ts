import { describe, expect, it } from 'vitest';
import { translate } from '../../../../shared/i18n/translate';
import { gpuModelNamed } from '../../../../shared/gpu/modelNamed';
import { parameterCount } from '../../../../shared/model/inventory';
import { ask } from '../../../../shared/strategy/ask';
import { secondsOf } from '../../../../shared/strategy/draft';
import { linksOfCard } from '../../../../shared/strategy/links';
import { plan } from '../../../../shared/strategy/plan';
import { MiB } from '../../../../shared/units';
import { cardsOf, catalogued, questionOf, smallLlama } from './questions';

const wishes = { seq: 256, contextMib: 300, card: 'RTX 3090' };

describe('tensor and pipeline parallelism', () => {
  const deep = smallLlama(512, 8, 2000);
  const wished = (more: Readonly<Record<string, unknown>>) => ({ ...wishes, ...more });

  it('meet a wished micro-batch and accumulation', () => {
    const asked = wished({ strategy: 'pipeline', schedule: '1f1b', microBatch: 1, accumulation: 2 });
    const { plans, refused } = plan(questionOf(deep, cardsOf(8000, 8000), asked));
    expect(refused).toEqual([]);
    expect(plans[0]).toMatchObject({
      strategy: 'pipeline',
      microBatch: 1,
      accumulationSteps: 2,
      stageLayers: [4, 4],
    });
  });

  it('are planned with fewer micro-batches in a shorter pipeline only', () => {
    const asked = wished({ strategy: 'pipeline', schedule: '1f1b' });
    const { plans } = plan(questionOf(deep, cardsOf(8000, 8000), asked, { globalBatch: 12 }));
    expect(plans.length).toBeGreaterThan(0);
    for (const { accumulationSteps } of plans) expect(accumulationSteps).toBeGreaterThanOrEqual(2);
    const { refused } = plan(questionOf(deep, cardsOf(8000, 8000), asked, { globalBatch: 1 }));
    expect(refused[0]?.why).toMatchObject({
      key: 'strategy.batchBelowStages',
      values: { batch: 1, world: 2 },
    });
  });

  it('give unequal cards unequal parts', () => {
    const asked = wished({ strategy: 'pipeline' });
    const [best] = plan(questionOf(deep, cardsOf(600, 1500), asked, { globalBatch: 8 })).plans;
    expect(best).toMatchObject({ verdict: 'fits', cardIndices: [1, 0], stageLayers: [6, 2] });
  });

  it('are refused with the arithmetic of the fullest stage', () => {
    const model13 = catalogued('llama-2-13b');
    const asked = { seq: 1024, strategy: 'pipeline', precision: 'amp-bf16', card: 'RTX 3090' };
    const { refused } = plan(questionOf(model13, cardsOf(24_576, 24_576), asked));
    const found = refused.find(({ method }) => method === 'full');
    expect(found === undefined ? '' : translate('en', found.why)).toBe(
      'Stage 2 of 2 has 20 layers with 6.51B parameters, which take 24.2 GiB as weights, 24.2 GiB as gradients and 48.5 GiB in the optimizer, 97.0 GiB before any activation; its card has 24.0 GiB.',
    );
  });

  it('name the schedule, and turn to one card after the other only where a pipeline does not fit', () => {
    const schedules = (mib: number): unknown[] =>
      plan(
        questionOf(deep, cardsOf(mib, mib), wished({ strategy: 'pipeline', seq: 2048 }), { globalBatch: 4 }),
      ).plans.map(({ schedule }) => schedule);
    expect(new Set(schedules(8000))).toEqual(new Set(['1f1b']));
  });

  it('take longer where less is exchanged at once: the bubble and the links count', () => {
    const seconds = (
      more: Readonly<Record<string, unknown>>,
      links = linksOfCard(gpuModelNamed('A100').card),
    ): number => {
      const question = questionOf(catalogued('llama-2-7b'), cardsOf(...Array<number>(4).fill(81_920)), {
        seq: 1024,
        card: 'A100',
        ...more,
      });
      return secondsOf(
        { ...question, links },
        { ...question.request, world: 4, cardMib: Array<number>(4).fill(81_920) },
      );
    };
    const slow = { ...linksOfCard(gpuModelNamed('RTX 3090').card) };
    const pipeline = { strategy: 'pipeline', microBatch: 1 };
    // Three of seven and three of nineteen parts of the time are bubble.
    expect(
      seconds({ ...pipeline, accumulation: 4 }) / seconds({ ...pipeline, accumulation: 16 }),
    ).toBeCloseTo(7 / 4 / (19 / 16), 1);
    expect(seconds({ ...pipeline, accumulation: 16, schedule: 'sequential' })).toBeGreaterThan(
      2.5 * seconds({ ...pipeline, accumulation: 16 }),
    );
    const tensor = { strategy: 'tensor', microBatch: 1 };
    expect(seconds(tensor, slow)).toBeGreaterThan(2 * seconds(tensor));
    expect(seconds({ ...pipeline, accumulation: 16 }, slow)).toBeLessThan(
      1.2 * seconds({ ...pipeline, accumulation: 16 }),
    );
  });

  it('are not combined with 8-bit optimizers where tensors are divided', () => {
    const { refused } = plan(
      questionOf(deep, cardsOf(8000, 8000), wished({ strategy: 'tensor', optimizer: 'adamw-8bit' })),
    );
    expect(refused[0]?.why.key).toBe('strategy.eightBitTensor');
  });
});

describe('asks about pipelines and divided layers', () => {
  const deep = smallLlama(512, 8, 2000);
  const asked = (strategy: string, mib: number) =>
    questionOf(deep, cardsOf(mib, mib), {
      ...wishes,
      strategy,
      checkpointing: 'none',
      precision: 'amp-bf16',
      optimizer: 'adamw-fused',
    });

  it.each(['pipeline', 'tensor'])('find the smallest cards for %s, on which it then fits', (strategy) => {
    const { answer, plan: found } = ask(asked(strategy, 900), 'smallest-card');
    expect(found).toMatchObject({ strategy, world: 2, verdict: 'fits' });
    // Half of the states, 16 bytes a parameter, and something to work with; far less than all of them.
    const states = 16 * parameterCount(deep);
    expect(Number(answer)).toBeGreaterThan(states / 2);
    expect(Number(answer)).toBeLessThan(states / 2 + 700 * MiB);
  });

  it('find a longer sequence on larger cards', () => {
    const longest = (mib: number): number => Number(ask(asked('pipeline', mib), 'longest-seq').answer);
    expect(longest(1200)).toBeGreaterThan(longest(800));
  });

  it('count samples at a time once for all stages', () => {
    const { answer, plan: found } = ask(asked('pipeline', 1200), 'largest-batch');
    expect(found?.strategy).toBe('pipeline');
    expect(answer).toBe(found?.microBatch);
  });
});

describe('the reason for a pipeline', () => {
  it('says how long the cards wait', () => {
    const asked = { ...wishes, strategy: 'pipeline', microBatch: 2, accumulation: 8 };
    const [best] = plan(questionOf(smallLlama(512, 8, 2000), cardsOf(8000, 8000), asked)).plans;
    // One of nine parts of the time is filling and draining.
    expect(best === undefined ? '' : translate('en', best.why)).toContain(
      'with 8 micro-batches a step a card waits 11 % of the time',
    );
  });
});
