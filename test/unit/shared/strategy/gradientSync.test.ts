/** When gradients are exchanged: what the planner chooses, what its plans say, and what the engine plays of it. */
import { describe, expect, it } from 'vitest';
import { estimate } from '../../../../shared/memory/estimate';
import { readRequest } from '../../../../shared/memory/request';
import { parameterCount } from '../../../../shared/model/inventory';
import { plan } from '../../../../shared/strategy/plan';
import type { Plan } from '../../../../shared/strategy/types';
import { cardsOf, questionOf, smallLlama } from './questions';

const model = smallLlama(1024, 8, 8192);
const { links: kind } = questionOf(model, cardsOf(40_000, 40_000));
const slow = { betweenCardsBytesPerSecond: 3e9, toHostBytesPerSecond: 12e9 };
const fast = { betweenCardsBytesPerSecond: 400e9, toHostBytesPerSecond: 50e9 };

function planned(
  wishes: Readonly<Record<string, unknown>>,
  { links = slow, mib = 40_000 }: { readonly links?: typeof slow; readonly mib?: number } = {},
): Plan {
  const question = questionOf(
    model,
    cardsOf(mib, mib),
    { world: 2, seq: 256, microBatch: 1, accumulation: 8, contextMib: 500, ...wishes },
    { links: { ...kind, ...links } },
  );
  const [best] = plan(question).plans;
  if (best === undefined) throw new Error('no plan');
  return best;
}
describe('the planner', () => {
  it('exchanges gradients once a step where there is room and the link is slow', () => {
    expect(planned({ strategy: 'fsdp-full' }).gradientSync).toBe('last');
    expect(planned({ strategy: 'ddp-bucket-view' }).gradientSync).toBe('last');
  });

  it('exchanges them with every micro-batch where the link is fast, which holds less', () => {
    expect(planned({ strategy: 'fsdp-full' }, { links: fast }).gradientSync).toBe('each');
  });

  it('exchanges them with every micro-batch where memory is short', () => {
    const roomy = planned({ strategy: 'fsdp-full', checkpointing: 'full' });
    const least = planned({ strategy: 'fsdp-full', checkpointing: 'full', gradientSync: 'each' });
    const bytes = (of: Plan): number => of.cards[0]?.processBytes ?? Number.NaN;
    expect(bytes(roomy)).toBeGreaterThan(bytes(least) * 1.1);
    const between = Math.round((bytes(least) + bytes(roomy)) / 2 / 2 ** 20);
    const short = planned({ strategy: 'fsdp-full', checkpointing: 'full' }, { mib: between });
    expect([short.gradientSync, short.verdict]).toEqual(['each', 'fits']);
  });

  it('keeps to a wish, and says nothing where a strategy has one way', () => {
    expect(planned({ strategy: 'fsdp-full', gradientSync: 'each' }).gradientSync).toBe('each');
    expect(planned({ strategy: 'ddp', gradientSync: 'each' }).gradientSync).toBe('each');
    expect(planned({ strategy: 'ddp' }).gradientSync).toBe('last');
    expect(planned({ strategy: 'zero2' }).gradientSync).toBeNull();
  });
});

describe('an estimate', () => {
  const estimated = (values: Readonly<Record<string, unknown>>) => {
    const reading = readRequest(
      { world: 4, seq: 64, accumulation: 2, optimizer: 'sgd', ...values },
      { label: (key) => key, timeline: false },
    );
    if (reading.kind === 'refused') throw new Error(reading.reason.key);
    const answer = estimate(model, reading.request, false);
    if (answer.kind === 'refused') throw new Error(answer.reason.key);
    return answer.estimate;
  };
  const peakOf = (values: Readonly<Record<string, unknown>>): number =>
    estimated(values).cards[0]?.allocatedPeakBytes ?? Number.NaN;

  it.each([
    ['fsdp-full', 'each', 'memory.assumeFsdpSyncEach'],
    ['fsdp-grad-op', 'each', 'memory.assumeFsdpSyncEach'],
    ['ddp', 'last', 'memory.assumeDdpSyncLast'],
    ['ddp-bucket-view', 'each', 'memory.assumeDdpSyncEach'],
  ])(
    'of %s takes it that gradients are exchanged with %s, as the files of a plan do',
    (strategy, sync, key) => {
      expect(peakOf({ strategy })).toBe(peakOf({ strategy, gradientSync: sync }));
      expect(estimated({ strategy }).assumptions.map((text) => text.key)).toContain(key);
    },
  );

  it('counts whole fp32 gradients beside the shards where FSDP reduces once a step', () => {
    const [each, last] = ['each', 'last'].map((gradientSync) =>
      peakOf({ strategy: 'fsdp-full', gradientSync }),
    );
    const parameters = parameterCount(model);
    // Whole gradients in fp32, less the shards of them that are made only then.
    expect(((last ?? 0) - (each ?? 0)) / (4 * parameters)).toBeGreaterThan(0.6);
    expect(((last ?? 0) - (each ?? 0)) / (4 * parameters)).toBeLessThan(1);
  });

  it('counts gradients beside DDP’s buckets that are views of them only until the exchange', () => {
    const [each, last] = ['each', 'last'].map((gradientSync) =>
      peakOf({ strategy: 'ddp-bucket-view', gradientSync }),
    );
    // The peak is no more in the same place, so it is less than the whole gradients.
    expect(((last ?? 0) - (each ?? 0)) / (4 * parameterCount(model))).toBeCloseTo(0.595, 2);
  });

  it('refuses another word', () => {
    const reading = readRequest({ gradientSync: 'never' }, { label: (key) => key, timeline: false });
    expect(reading).toMatchObject({
      kind: 'refused',
      reason: {
        key: 'memory.badValue',
        values: { name: 'gradientSync', value: 'never', expected: 'each, last' },
      },
    });
  });
});
