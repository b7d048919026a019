import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { strategyNames } from '../../../../shared/memory/configuration';
import { estimate } from '../../../../shared/memory/estimate';
import { gpuModelNamed } from '../../../../shared/gpu/modelNamed';
import { checkRequest } from '../../../../shared/memory/check';
import { ask, asks } from '../../../../shared/strategy/ask';
import { ranksOf } from '../../../../shared/strategy/batch';
import { candidatesOf } from '../../../../shared/strategy/enumerate';
import { readGpus } from '../../../../shared/strategy/gpus';
import { quickPeaks } from '../../../../shared/strategy/judge';
import { launchPlanOf } from '../../../../shared/strategy/launchPlan';
import { linksOfCard, linksOfTopology } from '../../../../shared/strategy/links';
import { plan, planning } from '../../../../shared/strategy/plan';
import { rankStatesOf } from '../../../../shared/strategy/states';
import { GiB, MiB } from '../../../../shared/units';
import { cardsOf, catalogued, questionOf, smallLlama } from './questions';

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
    expect(plan(questionOf(model, [], wishes)).refused).toHaveLength(strategyNames.length);
    expect(plan(questionOf(model, cardsOf(8000), { ...wishes, world: 3 })).refused[0]?.why.key).toBe(
      'strategy.worldBeyondCards',
    );
  });
});

describe('wishes that nothing can meet', () => {
  it.each([
    ['zero1', [8000], {}],
    ['pipeline', [8000], {}],
    ['tensor', [8000, 8000], { world: 1 }],
    ['dp', [8000], {}],
  ] as const)(
    '%s on %j with %o is refused with the reason, by the planner and by what is asked back',
    (strategy, mib, wish) => {
      const question = questionOf(model, cardsOf(...mib), { ...wishes, strategy, ...wish });
      const why = { key: 'strategy.needsSeveralCards', values: { strategy } };
      expect(plan(question).refused).toEqual([{ strategy, method: 'full', why, gap: null }]);
      for (const what of asks) expect(ask(question, what)).toEqual({ answer: null, plan: null, why });
    },
  );

  it('one card on several is refused where just that was wished, and is one of them where not', () => {
    const asked = { ...wishes, strategy: 'single' };
    expect(plan(questionOf(model, cardsOf(8000, 8000), asked)).refused).toEqual([]);
    const both = plan(questionOf(model, cardsOf(8000, 8000), { ...asked, world: 2 }));
    expect([both.plans, both.refused[0]?.why.key]).toEqual([[], 'memory.singleWorld']);
    // What is told is the size that is missing, not that one card is not two.
    const { refused } = plan(questionOf(smallLlama(2048, 8, 8000), cardsOf(2000, 2000), asked));
    expect(refused.find(({ method }) => method === 'full')?.why.key).toMatch(/strategy\.(singleStates|peak)/);
  });

  it('a pipeline of a model that cannot be cut is refused for that, not for its batch', () => {
    const question = questionOf(catalogued('t5-base'), cardsOf(900, 900), {
      ...wishes,
      strategy: 'pipeline',
    });
    for (const what of ['longest-seq', 'largest-batch', 'smallest-card'] as const)
      expect([what, ask(question, what).why.key]).toEqual([what, 'memory.stagesOfOneStack']);
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
      { numRuns: 30 },
    );
  });

  it.each([[[9000, 9000]], [[9000, 4000]], [[9000, 5000, 5000]]])(
    'the states of a rank are never more than its peak that is played, on cards of %j MiB',
    (mib) => {
      for (const scope of ['asked', 'narrower', 'adapters'] as const)
        for (const { request } of candidatesOf(questionOf(model, cardsOf(...mib), wishes), scope)) {
          if (checkRequest(model, request) !== null) continue;
          const states = rankStatesOf(model, request);
          expect(states).toHaveLength(request.world);
          for (const { bytes, rank } of quickPeaks(model, request))
            expect([
              request.strategy,
              request.offload,
              rank,
              (states[rank]?.totalBytes ?? NaN) <= bytes,
            ]).toEqual([request.strategy, request.offload, rank, true]);
        }
    },
  );
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

  it('name the fewest changes together where no single one is enough', () => {
    const large = smallLlama(2048, 24, 8000);
    const asked = questionOf(large, cardsOf(3000), { seq: 512, card: 'RTX 3090' }, { hostBytes: 2 * GiB });
    const { answer, plan: found, why } = ask(asked, 'cheapest-change');
    expect([answer, found?.verdict, why.key]).toEqual([
      '--checkpointing full --method qlora --precision bf16',
      'fits',
      'strategy.changesTogether',
    ]);
    // Each of them alone leaves it too large.
    const alone = { seq: 512, card: 'RTX 3090', strategy: 'single', microBatch: 1 };
    for (const wish of [
      { method: 'full', precision: 'amp-bf16', checkpointing: 'full' },
      { method: 'qlora', precision: 'bf16', checkpointing: 'none' },
    ]) {
      const only = questionOf(large, cardsOf(3000), { ...alone, ...wish }, { globalBatch: 1 });
      expect(plan(only).plans.filter(({ changesTraining }) => !changesTraining)).toEqual([]);
    }
  });

  it('keep the batch that was named, whatever is changed', () => {
    const asked = { ...wishes, seq: 4096, strategy: 'pipeline', checkpointing: 'full' };
    const found = [500, 600, 700, 800, 900, 1100].map((mib) =>
      ask(questionOf(model, cardsOf(mib, mib), asked, { globalBatch: 12 }), 'cheapest-change'),
    );
    const plans = found.flatMap(({ plan: one }) => (one === null ? [] : [one]));
    expect(new Set(plans.map(({ strategy }) => strategy)).size).toBeGreaterThan(1);
    for (const { accumulationSteps, microBatch, request } of plans)
      expect(accumulationSteps * microBatch * ranksOf(request)).toBe(12);
  });

  it('prefer what keeps training as it is to shorter samples and to adapters', () => {
    const large = smallLlama(2048, 24, 8000);
    const { answer, plan: found } = ask(questionOf(large, cardsOf(3000), { seq: 512 }), 'cheapest-change');
    expect(answer).toContain('--offload all');
    expect(answer).not.toMatch(/--seq|--method/);
    expect(found?.changesTraining).toBe(false);
  });
});

describe('cards and links', () => {
  it('reads sets of cards', () => {
    const sizes = (text: string) => readGpus(text)?.map(({ totalBytes }) => totalBytes / MiB) ?? null;
    expect(sizes('2x24GiB')).toEqual([24_576, 24_576]);
    expect(sizes('24576,24576')).toEqual([24_576, 24_576]);
    expect(sizes('1x80 GiB, 2x 24 GiB')).toEqual([81_920, 24_576, 24_576]);
    expect(sizes('2x24 + 80')).toEqual([24_576, 24_576, 81_920]); // No card has 24 MiB.
    expect(sizes('２×２４，１６')).toEqual([24_576, 24_576, 16_384]);
    expect(sizes('512')).toEqual([512]);
    for (const bad of ['', '2x', 'x24GiB', '24 parsecs', '0x24GiB', '-5', '9999x1GiB', '24576,'])
      expect(sizes(bad)).toBeNull();
  });

  it.each<[string, number, number]>([
    // Links by the data sheet, times what NCCL expects of one.
    ['H200', 18 * 20.6, 48],
    ['NVIDIA B200', 18 * 40.1, 48],
    ['NVIDIA A100-SXM4-80GB', 12 * 20, 24],
    ['H800', 8 * 20.6, 48],
    ['A800', 8 * 20, 24],
    ['V100', 6 * 20, 12],
    ['GH200', 18 * 20.6, 360],
    // PCI Express: with peer access, without, and with half the lanes.
    ['RTX A6000', 24, 24],
    ['RTX 6000 Ada', 24, 24],
    ['NVIDIA RTX 5000 Ada Generation', 24, 24],
    ['RTX PRO 6000', 48, 48],
    ['NVIDIA GeForce RTX 3090', 12, 24],
    ['NVIDIA GeForce RTX 5090', 24, 48],
    ['NVIDIA GeForce RTX 3050', 12, 24],
    ['RTX 4060', 6, 12],
    ['RTX 2080 Ti', 6, 12],
    ['T4', 12, 12],
  ])('of %s are %d GB/s between cards and %d to the host', (name, between, toHost) => {
    const { betweenCardsBytesPerSecond, toHostBytesPerSecond } = linksOfCard(gpuModelNamed(name).card);
    expect(betweenCardsBytesPerSecond / 1e9).toBeCloseTo(between, 6);
    expect(toHostBytesPerSecond / 1e9).toBeCloseTo(toHost, 6);
  });

  it('of a bridge are as fast as its generation', () => {
    const bridge = (name: string, kind: string): number =>
      linksOfTopology(gpuModelNamed(name).card, [{ from: 'GPU0', to: 'GPU1', kind, link: null }])
        .betweenCardsBytesPerSecond / 1e9;
    expect(bridge('RTX 3090', 'NV4')).toBeCloseTo(48);
    expect(bridge('RTX A5000', 'NV4')).toBeCloseTo(48);
    expect(bridge('A40', 'NV4')).toBeCloseTo(48);
    expect(bridge('RTX 2080 Ti', 'NV2')).toBeCloseTo(40);
    expect(bridge('H100 PCIe', 'NV12')).toBeCloseTo(247.2);
    expect(bridge('B200', 'NV18')).toBeCloseTo(721.8);
    // Two processors between them: no faster than their link, and no faster than without it.
    expect(bridge('H200', 'SYS')).toBeCloseTo(10);
    expect(bridge('RTX 4060', 'SYS')).toBeCloseTo(6);
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
    expect(launchPlanOf({ ...best, optimizer: 'lion' }, source)).toMatchObject({ kind: 'refused' });
    expect(launchPlanOf({ ...best, checkpointing: { kind: 'selective' } }, source)).toMatchObject({
      kind: 'refused',
    });
  });
});

describe('what costs nothing comes first', () => {
  const { plans } = plan(questionOf(model, cardsOf(8000, 8000), wishes));

  it('every plan has a fused optimizer, growing segments and the fused attention of the card', () => {
    for (const { attention, expandableSegments, optimizer } of plans)
      expect([optimizer, expandableSegments, attention]).toEqual(['adamw-fused', true, 'sdpa']);
  });

  it('bf16 where the card has it, fp16 with a scaler before', () => {
    expect(new Set(plans.map(({ precision }) => precision))).toEqual(new Set(['amp-bf16']));
    const before = plan(questionOf(model, cardsOf(8000, 8000), { ...wishes, card: 'RTX 2080 Ti' })).plans;
    expect(new Set(before.map(({ precision }) => precision))).toEqual(new Set(['amp-fp16']));
  });

  it('bucket views come before plain DDP, and both before sharding that is not needed', () => {
    const order = plans.map(({ strategy }) => strategy);
    const place = (strategy: (typeof order)[number]): number => {
      const index = order.indexOf(strategy);
      return index < 0 ? Infinity : index;
    };
    expect(place('ddp-bucket-view')).toBeLessThan(place('ddp'));
    expect(place('ddp-bucket-view')).toBeLessThan(place('fsdp-full'));
    expect(order).not.toContain('fsdp-full offload');
  });

  it('nothing is recomputed or offloaded that fits without', () => {
    expect(plans[0]).toMatchObject({ checkpointing: { kind: 'none' }, offload: 'none', verdict: 'fits' });
    expect(plans.every(({ offload }) => offload === 'none')).toBe(true);
  });

  it('accumulation keeps the global batch where a smaller micro-batch is needed', () => {
    const tightOnes = plan(
      questionOf(model, cardsOf(700), { ...wishes, seq: 1024, checkpointing: 'none' }, { globalBatch: 16 }),
    ).plans;
    for (const { accumulationSteps, microBatch } of tightOnes)
      expect(accumulationSteps * microBatch).toBe(16);
    expect(tightOnes.some(({ accumulationSteps }) => accumulationSteps > 1)).toBe(true);
  });

  it('what is changed first, where something does not fit, is what costs nothing', () => {
    const long = { ...wishes, strategy: 'single', precision: 'amp-bf16', microBatch: 4, seq: 1024 };
    const need = (expandableSegments: boolean): number => {
      const answer = estimate(model, questionOf(model, [], { ...long, expandableSegments }).request, false);
      return answer.kind === 'estimate' ? (answer.estimate.cards[0]?.interval.highBytes ?? 0) / MiB : NaN;
    };
    const [fixed, growing] = [need(false), need(true)];
    expect(growing).toBeLessThan(fixed);
    const between = questionOf(model, cardsOf(Math.round((fixed + growing) / 2)), long);
    expect(ask(between, 'cheapest-change').answer).toBe('--expandable-segments');
  });
});
