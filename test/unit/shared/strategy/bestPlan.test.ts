import { describe, expect, it } from 'vitest';
import { parameterCount } from '../../../../shared/model/inventory';
import { plan } from '../../../../shared/strategy/plan';
import type { Plan } from '../../../../shared/strategy/types';
import { GiB, MiB } from '../../../../shared/units';
import { type Llama, type Machine, options, type Option, parameters } from './bruteForce';
import { cardsOf, catalogued, questionOf } from './questions';

const models: Readonly<Record<string, Llama>> = {
  'tinyllama-1.1b': {
    layers: 22,
    hidden: 2048,
    width: 5632,
    heads: 32,
    keyValueHeads: 4,
    headDim: 64,
    vocabulary: 32_000,
  },
  'llama-2-7b': {
    layers: 32,
    hidden: 4096,
    width: 11_008,
    heads: 32,
    keyValueHeads: 32,
    headDim: 128,
    vocabulary: 32_000,
  },
  'llama-2-13b': {
    layers: 40,
    hidden: 5120,
    width: 13_824,
    heads: 40,
    keyValueHeads: 40,
    headDim: 128,
    vocabulary: 32_000,
  },
};

/** Cards by name with speeds that training reaches, as their data sheets and published runs say. */
const machines = {
  // 71 tera-operations of which consumer cards reach 0.4, 936 GB/s, PCI Express 4 by way of the machine's memory.
  'RTX 3090': { operationsPerSecond: 30e12, memoryBytesPerSecond: 750e9, linkBytesPerSecond: 12.6e9 },
  // 312 and 0.45, 2,039 GB/s, 12 NVLinks of 25 GB/s.
  A100: { operationsPerSecond: 140e12, memoryBytesPerSecond: 1.6e12, linkBytesPerSecond: 240e9 },
} as const;

/** Cards from ample to hopeless, one to eight of them, alike and mixed, in GiB. */
const sets: readonly (readonly [keyof typeof machines, readonly number[]])[] = [
  ['RTX 3090', [24]],
  ['RTX 3090', [24, 24]],
  ['RTX 3090', [24, 24, 24, 24]],
  ['RTX 3090', [24, 12]],
  ['A100', [80]],
  ['A100', [40, 40]],
  ['A100', [80, 80]],
  ['A100', [80, 80, 80, 80]],
  ['A100', [40, 40, 40, 40]],
  ['A100', [80, 80, 80, 80, 80, 80, 80, 80]],
];
const cases = Object.keys(models).flatMap((name) => sets.map(([card, gib]) => ({ name, card, gib })));

const SEQUENCE = 1024;
const CONTEXT_MIB = 1000;
/** Closed formulas know a peak to so much; options that fill a card to between these bounds may be called either way. */
const SURE = 0.9;
const HOPELESS = 1.1;
/** Formulas of time that differ in small things; what is nearer than this is a draw. */
const DRAW = 1.1;

describe('the formulas', () => {
  it.each(Object.entries(models))('count the parameters of %s', (name, model) => {
    expect(parameters(model)).toBe(parameterCount(catalogued(name)));
  });
});

describe('the best plan', () => {
  it.each(cases)(
    'of $name on $gib GiB ($card) is the one that trying everything finds',
    ({ card, gib, name }) => {
      const model = models[name];
      if (model === undefined) throw new Error(name);
      const batch = 8 * gib.length;
      const machine: Machine = {
        ...machines[card],
        cardBytes: gib.map((size) => size * GiB),
        contextBytes: CONTEXT_MIB * MiB,
      };
      const all = options(model, machine, batch, SEQUENCE);
      const sure = all.filter(({ filled }) => filled <= SURE);
      const question = questionOf(
        catalogued(name),
        cardsOf(...gib.map((size) => (size * GiB) / MiB)),
        {
          seq: SEQUENCE,
          contextMib: CONTEXT_MIB,
          card,
          precision: 'amp-bf16',
          optimizer: 'adamw-fused',
          offload: 'none',
        },
        { globalBatch: batch, hostBytes: 0 },
      );
      const [best] = plan(question).plans.filter(({ changesTraining }) => !changesTraining);
      if (all.every(({ filled }) => filled > HOPELESS)) {
        expect(best).toBeUndefined();
        return;
      }
      if (sure.length === 0) {
        // Only what may go either way is left.
        if (best !== undefined)
          expect(all.some((option) => isSame(option, best) && option.filled <= HOPELESS)).toBe(true);
        return;
      }
      expect(best?.verdict).toBe('fits');
      if (best === undefined) return;
      const chosen = all.find((option) => isSame(option, best));
      expect(chosen?.filled ?? Infinity).toBeLessThanOrEqual(HOPELESS);
      const fastest = sure.reduce((one, other) =>
        other.secondsPerSample < one.secondsPerSample ? other : one,
      );
      const ratio = (chosen?.secondsPerSample ?? Infinity) / fastest.secondsPerSample;
      expect([
        best.strategy,
        ratio <= DRAW ? 'as fast' : `${ratio.toFixed(2)} of ${fastest.strategy}`,
      ]).toEqual([best.strategy, 'as fast']);
    },
  );
});

const isSame = (option: Option, { checkpointing, microBatch, schedule, strategy, world }: Plan): boolean =>
  option.strategy === strategy &&
  schedule !== 'sequential' &&
  option.world === world &&
  option.microBatch === microBatch &&
  option.recomputes === (checkpointing.kind === 'full');
