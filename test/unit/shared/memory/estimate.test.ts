import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Architecture } from '../../../../shared/model/architecture';
import { catalogueEntry } from '../../../../shared/model/catalogue/catalogue';
import { readConfig } from '../../../../shared/families/readModel';
import { gpuModelNamed } from '../../../../shared/gpu/modelNamed';
import { H200 } from '../../../../shared/gpu/models';
import { estimate, type Estimate } from '../../../../shared/memory/estimate';
import { forwardOf } from '../../../../shared/memory/chooseForward';
import { repetitionOf } from '../../../../shared/memory/fewerLayers';
import { quickPeakBytes } from '../../../../shared/memory/quick';
import { readRequest } from '../../../../shared/memory/request';
import { aloneSpread } from '../../../../shared/memory/training/distribution';

function modelOf(id: string): Architecture {
  const reading = readConfig(catalogueEntry(id)?.config ?? {});
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  return reading.architecture;
}

const label = (key: string): string => key;

function ask(id: string, fields: object): Estimate {
  const reading = readRequest(fields, { label, timeline: false });
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  const answer = estimate(modelOf(id), reading.request);
  if (answer.kind === 'refused') throw new Error(answer.reason.key);
  return answer.estimate;
}

describe('memory of the machine', () => {
  // `fsdp2-offload` rows: resident size of one process less that of one without offload, two processes.
  test.each([
    ['llama-3.2-3b', 32_295 - 1310],
    ['tinyllama-1.1b', 11_234 - 1353],
  ])('%s is as measured', (id, measuredMib) => {
    const { hostBytes } = ask(id, {
      strategy: 'fsdp-full',
      world: 2,
      offload: 'all',
      optimizer: 'adamw',
      checkpointing: 'full',
      seq: 1024,
    });
    expect(Math.abs(hostBytes / 2 / (measuredMib * 2 ** 20) - 1)).toBeLessThan(0.012);
  });
});

describe('cards', () => {
  test.each([
    ['NVIDIA GeForce RTX 3090', 'RTX 3090', true],
    ['a100-sxm4-80gb', 'A100', true],
    ['RTX 4050 Laptop', 'RTX 4080', false],
    ['NVIDIA H900', 'H100', false],
    ['something new', 'H200', false],
  ])('%s', (name, nearest, known) => {
    const found = gpuModelNamed(name);
    expect([found.nearest, found.known]).toEqual([nearest, known]);
    if (!known) expect(found.card).toMatchObject({ name, measured: false });
  });

  test('an unknown card has a wider interval', () => {
    const width = (card: string): number => {
      const [first] = ask('gpt2', { card, seq: 256 }).cards;
      return (first?.interval.highBytes ?? 0) - (first?.interval.lowBytes ?? 0);
    };
    expect(width('RTX 4050')).toBeGreaterThan(width('H200') * 2);
  });
});

describe('a card on which cached memory is given back to go on', () => {
  test('holds what the interval says: no less than its low end', () => {
    const fields = { microBatch: 2, seq: 256, optimizer: 'sgd-momentum' };
    const [free] = ask('llama-2-7b', fields).cards;
    const [limited] = ask('llama-2-7b', { ...fields, cardMib: [81_920] }).cards;
    // Without a limit the cache grows beyond the card; under it the step completes with less.
    expect(free?.processBytes).toBeGreaterThan(80 * 2 ** 30);
    expect(limited?.processBytes).toBeLessThanOrEqual(80 * 2 ** 30);
    expect(limited?.verdict).toBe('tight');
    expect(limited?.interval.lowBytes).toBeLessThan(limited?.processBytes ?? 0);
    expect(limited?.interval.highBytes).toBe(free?.interval.highBytes);
  });
});

describe('checkpointing', () => {
  const peak = (checkpointing: string): number =>
    ask('gpt2', { checkpointing, seq: 1024, microBatch: 4, attention: 'eager', optimizer: 'sgd' }).cards[0]
      ?.allocatedPeakBytes ?? 0;

  test('fewer kept tensors take less: none, two segments, four, all blocks; attention alone is between', () => {
    expect(peak('segments:2')).toBeLessThan(peak('none'));
    expect(peak('segments:4')).toBeLessThan(peak('segments:2'));
    expect(peak('full')).toBeLessThan(peak('segments:2'));
    expect(peak('selective')).toBeLessThan(peak('none'));
    expect(peak('full')).toBeLessThan(peak('selective'));
  });

  test('one segment keeps everything, as PyTorch leaves the last one', () => {
    expect(peak('segments:1')).toBe(peak('none'));
  });
});

describe('the quick peak', () => {
  const settings = (checkpointing: 'none' | 'full') =>
    ({
      method: { kind: 'full' },
      precision: 'amp-bf16',
      optimizer: 'adamw-fused',
      microBatch: 2,
      sequence: 512,
      accumulation: 1,
      checkpointing: { kind: checkpointing },
      attention: 'sdpa',
      clipGradients: false,
      gradientSync: null,
      reduceType: 'fp32',
      pixels: 'fp32',
    }) as const;

  test.each(['llama-3.2-1b', 'gemma2-2b', 'gpt2-medium', 'opt-1.3b'])('%s is that of all layers', (id) => {
    const model = modelOf(id);
    const forward = forwardOf(model.family);
    if (forward === null) throw new Error('no forward');
    // Layers that are equal but not the same object are not taken for a repetition, so all are played.
    const unlike: Architecture = {
      ...model,
      stacks: model.stacks.map((stack) => ({
        ...stack,
        layers: stack.layers.map((layer) => ({ ...layer })),
      })),
    };
    expect(repetitionOf(model)).not.toBeNull();
    expect(repetitionOf(unlike)?.repeats ?? 1).toBe(1);
    for (const kind of ['none', 'full'] as const)
      expect(quickPeakBytes(model, forward, settings(kind), H200, aloneSpread)).toBe(
        quickPeakBytes(unlike, forward, settings(kind), H200, aloneSpread),
      );
  });
});

describe('a request', () => {
  test('of any JSON is read or refused, never thrown', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const reading = readRequest(value, { label, timeline: false });
        expect(['request', 'refused']).toContain(reading.kind);
      }),
    );
  });

  test('takes the defaults of the command', () => {
    const reading = readRequest({}, { label, timeline: false });
    expect(reading).toEqual({
      kind: 'request',
      warnings: [],
      cardMemoryMib: null,
      request: {
        training: {
          method: { kind: 'full' },
          precision: 'amp-bf16',
          optimizer: 'adamw-fused',
          microBatch: 1,
          sequence: 2048,
          accumulation: 1,
          checkpointing: { kind: 'none' },
          attention: 'sdpa',
          clipGradients: false,
          gradientSync: null,
          reduceType: 'fp32',
          pixels: 'fp32',
        },
        strategy: 'single',
        world: 1,
        offload: 'none',
        schedule: '1f1b',
        expandableSegments: false,
        card: null,
        cardMib: [],
        contextMib: null,
        timeline: false,
      },
    });
  });
});
