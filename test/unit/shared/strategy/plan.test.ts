import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STRATEGIES } from '../../../../shared/memory/configuration';
import { checkRequest } from '../../../../shared/memory/check';
import { ask } from '../../../../shared/strategy/ask';
import { candidatesOf, ranksOf } from '../../../../shared/strategy/enumerate';
import { readGpus } from '../../../../shared/strategy/gpus';
import { quickPeak } from '../../../../shared/strategy/judge';
import { launchPlanOf } from '../../../../shared/strategy/launchPlan';
import { linksOfTopology } from '../../../../shared/strategy/links';
import { plan, planning } from '../../../../shared/strategy/plan';
import { countsOf, statesOf } from '../../../../shared/strategy/states';
import { GiB, MiB } from '../../../../shared/units';
import { cardsOf, questionOf, smallLlama } from './questions';

const model = smallLlama(512, 4, 2000);
const wishes = { seq: 256, contextMib: 300, card: 'RTX 3090' };

describe('plans', () => {
  it('keep the global batch, whatever the strategy', () => {
    const { plans } = plan(questionOf(model, cardsOf(8000, 8000), wishes, { globalBatch: 12 }));
    expect(plans.length).toBeGreaterThan(4);
    for (const { accumulationSteps, microBatch, request } of plans)
      expect(microBatch * accumulationSteps * ranksOf(request)).toBe(12);
  });

  it('meet every wish', () => {
    const asked = {
      ...wishes,
      strategy: 'fsdp-full',
      checkpointing: 'full',
      precision: 'bf16',
      microBatch: 2,
    };
    const { plans, refused } = plan(questionOf(model, cardsOf(8000, 8000), asked));
    expect(refused).toEqual([]);
    expect(
      plans.map(({ checkpointing, microBatch, precision, strategy }) => [
        strategy,
        checkpointing.kind,
        precision,
        microBatch,
      ]),
    ).toEqual([['fsdp-full', 'full', 'bf16', 2]]);
  });

  it('take fp16 with a scaler before Ampere', () => {
    const { plans } = plan(questionOf(model, cardsOf(8000), { ...wishes, card: 'T4' }));
    expect(plans.every(({ precision }) => precision === 'amp-fp16')).toBe(true);
  });

  it('on unequal cards leave the small one out where it binds', () => {
    const { plans } = plan(questionOf(model, cardsOf(400, 8000), wishes, { globalBatch: 4 }));
    expect(plans[0]).toMatchObject({ world: 1, strategy: 'single', cardIndices: [1] });
  });

  it('say when only another program is in the way', () => {
    const busy = [{ index: 0, totalBytes: 8 * GiB, freeBytes: 330 * MiB }];
    const { refused } = plan(questionOf(model, busy, { ...wishes, strategy: 'single', method: 'lora' }));
    expect(refused[0]?.why.key).toBe('strategy.fitsEmptyCard');
  });

  it('do not offer adapters where what was asked fits', () => {
    const { plans } = plan(questionOf(model, cardsOf(8000), wishes));
    expect(plans.some(({ changesTraining }) => changesTraining)).toBe(false);
    expect(plans[0]).toMatchObject({ rank: 1, relativeStepTime: 1, verdict: 'fits' });
  });

  it('come as drafts first', () => {
    const kinds = [...planning(questionOf(model, cardsOf(8000, 8000), wishes))].map(({ kind }) => kind);
    expect(kinds.indexOf('draft')).toBeLessThan(kinds.indexOf('judged'));
  });

  it('refuse every strategy with a reason where there is none', () => {
    const { plans, refused } = plan(questionOf(model, cardsOf(100), { ...wishes, contextMib: 500 }));
    expect(plans).toEqual([]);
    expect(refused.map(({ strategy }) => strategy)).toContain('single');
    expect(plan(questionOf(model, [], wishes)).refused).toHaveLength(STRATEGIES.length);
    expect(plan(questionOf(model, cardsOf(8000), { ...wishes, world: 3 })).refused[0]?.why.key).toBe(
      'strategy.worldBeyondCards',
    );
  });
});

describe('properties', () => {
  it('more memory never makes unfit what fitted', () => {
    const size = fc.integer({ min: 450, max: 2500 });
    fc.assert(
      fc.property(size, size, fc.integer({ min: 1, max: 2 }), (one, other, count) => {
        const fits = (mib: number): boolean =>
          plan(
            questionOf(model, cardsOf(...Array<number>(count).fill(mib)), {
              ...wishes,
              checkpointing: 'full',
            }),
          ).plans.some(({ changesTraining, verdict }) => verdict === 'fits' && !changesTraining);
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        expect(fits(less) && !fits(more)).toBe(false);
      }),
      { numRuns: 6 },
    );
  });

  it('the states are never more than the peak that is played', () => {
    for (const scope of ['asked', 'narrower', 'adapters'] as const)
      for (const { request } of candidatesOf(questionOf(model, cardsOf(9000, 9000), wishes), scope)) {
        if (checkRequest(model, request) !== null) continue;
        const { totalBytes } = statesOf(request, countsOf(model, request));
        expect([request.strategy, request.offload, totalBytes <= quickPeak(model, request)]).toEqual([
          request.strategy,
          request.offload,
          true,
        ]);
      }
  });
});

describe('asks', () => {
  const question = questionOf(model, cardsOf(900), { ...wishes, seq: 512 });

  it('find the smallest card, on which the plan then fits', () => {
    const { answer, plan: found } = ask(question, 'smallest-card');
    expect(found?.verdict).toBe('fits');
    const enough = Number(answer) / MiB;
    expect(
      plan(questionOf(model, cardsOf(enough), { ...wishes, seq: 512 }, { globalBatch: 1 })).plans[0]?.verdict,
    ).toBe('fits');
  });

  it('find the longest sequence: it fits, and a step more does not', () => {
    const only = { ...wishes, strategy: 'single', checkpointing: 'none', microBatch: 1 };
    const { answer } = ask(questionOf(model, cardsOf(900), only), 'longest-seq');
    const verdictAt = (seq: number) =>
      plan(questionOf(model, cardsOf(900), { ...only, seq })).plans[0]?.verdict ?? 'no';
    expect(verdictAt(Number(answer))).toBe('fits');
    expect(verdictAt(Number(answer) + 128)).not.toBe('fits');
  });

  it('find what to change, or that nothing has to', () => {
    expect(ask(questionOf(model, cardsOf(8000), wishes), 'cheapest-change').why.key).toBe(
      'strategy.nothingToChange',
    );
    const long = { ...wishes, seq: 2048, strategy: 'single', precision: 'amp-bf16', microBatch: 1 };
    const least = (checkpointing: string) =>
      Number(ask(questionOf(model, cardsOf(9000), { ...long, checkpointing }), 'smallest-card').answer) / MiB;
    const between = Math.round((least('none') + least('full')) / 2);
    const { answer, plan: found } = ask(
      questionOf(model, cardsOf(between), { ...long, expandableSegments: true }),
      'cheapest-change',
    );
    expect([answer, found?.verdict]).toEqual(['--checkpointing full', 'fits']);
  });
});

describe('cards and links', () => {
  it('reads sets of cards', () => {
    const sizes = (text: string) => readGpus(text)?.map(({ totalBytes }) => totalBytes / MiB) ?? null;
    expect(sizes('2x24GiB')).toEqual([24_576, 24_576]);
    expect(sizes('24576,24576')).toEqual([24_576, 24_576]);
    expect(sizes('1x80 GiB, 2x 24 GiB')).toEqual([81_920, 24_576, 24_576]);
    for (const bad of ['', '2x', 'x24GiB', '24 parsecs', '0x24GiB', '-5', '9999x1GiB', '24576,'])
      expect(sizes(bad)).toBeNull();
  });

  it('takes the slowest pair of a topology', () => {
    const link = (from: string, to: string, kind: string) => ({ from, to, kind, link: null });
    expect(linksOfTopology(null, [link('GPU0', 'GPU1', 'NV4')])).toMatchObject({
      kind: 'nvlink',
      read: true,
    });
    const mixed = [link('GPU0', 'GPU1', 'NV4'), link('GPU0', 'GPU2', 'SYS')];
    expect(linksOfTopology(null, mixed)).toMatchObject({ kind: 'across-sockets', read: true });
    expect(linksOfTopology(null, [link('GPU0', 'NIC0', 'PHB')])).toMatchObject({ kind: 'pcie', read: false });
  });
});

describe('launch files', () => {
  const source = { architecture: model, name: 'My Model!', configJson: '{}' };

  it('are made of plans that the script can carry out, and refused for others', () => {
    const [best] = plan(questionOf(model, cardsOf(8000, 8000), wishes)).plans;
    if (best === undefined) throw new Error('no plan');
    const answer = launchPlanOf(best, source);
    expect(answer).toMatchObject({
      kind: 'plan',
      plan: { name: 'my-model', task: 'causal', microBatch: best.microBatch },
    });
    expect(launchPlanOf({ ...best, strategy: 'dp' }, source)).toMatchObject({ kind: 'refused' });
    expect(launchPlanOf({ ...best, optimizer: 'lion' }, source)).toMatchObject({ kind: 'refused' });
    expect(launchPlanOf({ ...best, checkpointing: { kind: 'selective' } }, source)).toMatchObject({
      kind: 'refused',
    });
  });
});
