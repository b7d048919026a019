/** The quick peak, from a few of a model's layers, against all layers played. */
import { describe, expect, test } from 'vitest';
import { H200 } from '../../../../shared/gpu/models';
import type { TrainingSettings } from '../../../../shared/memory/configuration';
import { forwardFor } from '../../../../shared/memory/chooseForward';
import { repetitionOf } from '../../../../shared/memory/fewerLayers';
import { growsEvenly, highestPeak, placePeaks } from '../../../../shared/memory/placePeaks';
import { mostRepeats, quickPeakBytes } from '../../../../shared/memory/quick';
import { simulate } from '../../../../shared/memory/simulation';
import { AllocationLog } from '../../../../shared/memory/tape/log';
import { aloneSpread, type Spread } from '../../../../shared/memory/training/distribution';
import { catalogueEntry } from '../../../../shared/model/catalogue/catalogue';
import type { Architecture } from '../../../../shared/model/architecture';
import { readConfig } from '../../../../shared/families/readModel';

const models = [
  'tinyllama-1.1b',
  'gemma2-2b',
  'gpt2-medium',
  'opt-1.3b',
  'phi-2',
  'bert-base',
  'vit-base',
  'qwen3-30b-a3b',
];

function modelOf(id: string): Architecture {
  const reading = readConfig(catalogueEntry(id)?.config ?? {});
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  return reading.architecture;
}

const plain: TrainingSettings = {
  method: { kind: 'full' },
  precision: 'amp-bf16',
  optimizer: 'adamw-fused',
  microBatch: 2,
  sequence: 128,
  accumulation: 1,
  checkpointing: { kind: 'none' },
  attention: 'sdpa',
  clipGradients: false,
  gradientSync: null,
  reduceType: 'fp32',
  pixels: 'fp32',
};

const lora: TrainingSettings['method'] = {
  kind: 'lora',
  adapters: { rank: 8, alpha: 8, targets: 'all-linear', dropout: 0.1, adapterType: 'fp32' },
};

const ways: readonly (readonly [string, Partial<TrainingSettings>, Partial<Spread>])[] = [
  ['under autocast', {}, {}],
  ['with every block recomputed', { precision: 'bf16', checkpointing: { kind: 'full' } }, {}],
  ['adapters alone', { precision: 'bf16', method: lora, optimizer: 'adamw' }, {}],
  ['adapters on recomputed blocks', { method: lora, checkpointing: { kind: 'full' } }, {}],
  ['attention recomputed, in Python', { checkpointing: { kind: 'selective' }, attention: 'eager' }, {}],
  [
    'three segments, two micro-batches',
    { checkpointing: { kind: 'segments', count: 3 }, accumulation: 2 },
    {},
  ],
  ['Adafactor in fp32', { precision: 'fp32', optimizer: 'adafactor' }, {}],
  ['a replica of four', { precision: 'bf16' }, { strategy: 'ddp', world: 4 }],
  ['a shard of four', { checkpointing: { kind: 'full' } }, { strategy: 'fsdp-full', world: 4 }],
];

describe('the quick peak of', () => {
  describe.each(models)('%s', (id) => {
    const model = modelOf(id);
    const { forward } = forwardFor(model);

    test.each(ways)('%s is that of all layers', (_name, changes, spread) => {
      const settings = { ...plain, ...changes };
      const shared = { ...aloneSpread, ...spread };
      expect(repetitionOf(model)?.repeats).toBeGreaterThan(mostRepeats);
      const whole = highestPeak(placePeaks(simulate(model, forward, settings, H200, shared)));
      expect(quickPeakBytes(model, forward, settings, H200, shared)).toBe(whole);
    });
  });
});

describe('even growth', () => {
  /** A log of five blocks, and for each the bytes live in its forward. */
  const peaksOf = (bytes: readonly number[]): [AllocationLog, Float64Array[]] => {
    const log = new AllocationLog();
    const places = bytes.map((_, block) => log.place(`layers.${block}.mlp`));
    const row = new Float64Array(log.placeCount);
    places.forEach((place, block) => row.set([bytes[block] ?? 0], place));
    return [log, [row]];
  };
  const repetition = { prefix: 0, period: 1, repeats: 5 };

  test.each([
    [[9, 20, 30, 40, 7], true],
    [[9, 20, 30, 41, 7], false],
    [[9, 20, 0, 40, 7], false],
  ])('of %j is looked for between the outermost blocks: %s', (bytes, isEven) => {
    const [log, peaks] = peaksOf(bytes);
    expect(growsEvenly(log, peaks, repetition)).toBe(isEven);
  });
});
