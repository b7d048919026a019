/** Whole steps of small models: repeated steps, the course of a step, what optimizers, adapters and accumulation keep. */
import { describe, expect, test } from 'vitest';
import { H200 } from '../../../../shared/gpu/models';
import type { TrainingSettings } from '../../../../shared/memory/configuration';
import { forwardOf } from '../../../../shared/memory/chooseForward';
import { LogPlayer, rangeBetween } from '../../../../shared/memory/play';
import { modelBuilt, endOf } from '../../../../shared/memory/tape/marks';
import { simulate, summarise } from '../../../../shared/memory/simulation';
import { AllocationLog, memoryKinds } from '../../../../shared/memory/tape/log';
import { Tape } from '../../../../shared/memory/tape/tape';
import type { OptimizerName } from '../../../../shared/memory/training/optimizers';
import { aloneSpread } from '../../../../shared/memory/training/distribution';
import { partOf } from '../../../../shared/memory/training/part';
import { TrainingRun } from '../../../../shared/memory/training/run';
import type { Architecture } from '../../../../shared/model/architecture';
import { parameterCount } from '../../../../shared/model/inventory';
import { readModel } from '../../../../shared/families/readModel';

const KIB = 1024;
const unlimited = { expandableSegments: false, limitBytes: null, addressOrder: 'falling' } as const;

function model(config: object): Architecture {
  const reading = readModel(JSON.stringify(config));
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  return reading.architecture;
}

const llama = model({
  model_type: 'llama',
  architectures: ['LlamaForCausalLM'],
  hidden_size: 256,
  intermediate_size: 704,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  vocab_size: 2000,
  max_position_embeddings: 2048,
});

const gpt2 = model({
  model_type: 'gpt2',
  architectures: ['GPT2LMHeadModel'],
  n_embd: 256,
  n_layer: 3,
  n_head: 4,
  vocab_size: 2000,
  n_positions: 1024,
});

const plain: TrainingSettings = {
  method: { kind: 'full' },
  precision: 'bf16',
  optimizer: 'adamw',
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

const lora = (rank: number): TrainingSettings['method'] => ({
  kind: 'lora',
  adapters: { rank, alpha: rank, targets: 'all-linear', dropout: 0.1, adapterType: 'fp32' },
});

function forwardFor(architecture: Architecture): NonNullable<ReturnType<typeof forwardOf>> {
  const forward = forwardOf(architecture.family);
  if (forward === null) throw new Error('This family is played.');
  return forward;
}

const play = (architecture: Architecture, settings: TrainingSettings): ReturnType<typeof simulate> =>
  simulate(architecture, forwardFor(architecture), settings, H200);

/** Steps that are all played on the tape, none repeated. */
function tapedPeaks(
  architecture: Architecture,
  settings: TrainingSettings,
  count: number,
): { allocated: number; reserved: number; log: AllocationLog } {
  const log = new AllocationLog();
  const run = new TrainingRun(
    new Tape(log, H200),
    partOf(architecture, aloneSpread),
    forwardFor(architecture),
    settings,
  );
  for (let step = 0; step < count; step++) run.step();
  const player = new LogPlayer(log, unlimited);
  player.play(rangeBetween(log, null, modelBuilt));
  player.allocator.emptyCache();
  player.play(rangeBetween(log, modelBuilt, endOf('zero_grad', count)));
  const { allocatedPeakBytes, reservedPeakBytes } = player.allocator;
  return { allocated: allocatedPeakBytes, reserved: reservedPeakBytes, log };
}

const variants: readonly (readonly [string, Architecture, Partial<TrainingSettings>])[] = [
  ['llama in bf16', llama, {}],
  ['llama under autocast', llama, { precision: 'amp-bf16' }],
  ['llama with scaled gradients and clipping', llama, { precision: 'amp-fp16', clipGradients: true }],
  ['llama in fp32 with eager attention', llama, { precision: 'fp32', attention: 'eager' }],
  ['llama checkpointed', llama, { checkpointing: { kind: 'full' } }],
  ['llama with adapters, checkpointed', llama, { method: lora(8), checkpointing: { kind: 'full' } }],
  ['llama with adapters and dropout', llama, { method: lora(4), precision: 'amp-bf16' }],
  ['llama with accumulation', llama, { accumulation: 3 }],
  ['GPT-2 under autocast', gpt2, { precision: 'amp-bf16' }],
  ['GPT-2 with Adafactor', gpt2, { optimizer: 'adafactor' }],
  ['GPT-2 with 8-bit AdamW', gpt2, { optimizer: 'adamw-8bit' }],
];

describe('later steps', () => {
  test.each(variants)('are like the first without what it made once: %s', (_name, architecture, changes) => {
    const settings = { ...plain, ...changes };
    const summary = summarise(play(architecture, settings), unlimited, 0);
    const taped = tapedPeaks(architecture, settings, 4);
    expect(summary?.allocatedPeakBytes).toBe(taped.allocated);
    expect(summary?.reservedPeakBytes).toBe(taped.reserved);
  });

  test.each(variants)('leave nothing behind: %s', (_name, architecture, changes) => {
    const settings = { ...plain, ...changes };
    const [two, five] = [2, 5].map((count) => tapedPeaks(architecture, settings, count).log.liveBytes);
    expect(five).toBe(two);
  });
});

describe('the course of a step', () => {
  const summary = summarise(play(llama, plain), unlimited, 400);
  const points = summary?.timeline ?? [];

  test('has at most the points asked for, and its peak is among them', () => {
    expect(points.length).toBeGreaterThan(50);
    expect(points.length).toBeLessThanOrEqual(400);
    expect(Math.max(...points.map(({ allocatedBytes }) => allocatedBytes))).toBe(summary?.allocatedPeakBytes);
  });

  test('goes through the phases in order', () => {
    const phases = points.map(({ phase }) => phase).filter((phase, index, all) => phase !== all[index - 1]);
    expect(phases).toEqual(['forward', 'backward', 'optimizer', 'zero_grad']);
  });

  test('names the module at work', () => {
    expect(points.map(({ at }) => at)).toContain('model.layers.1.mlp.down_proj');
  });

  test('is the sum of its kinds at every point', () => {
    for (const { allocatedBytes, byKind } of points) {
      const sum = memoryKinds.reduce((bytes, kind) => bytes + byKind[kind], 0);
      expect(sum).toBe(allocatedBytes);
    }
    const { byKind } = summary?.peak ?? { byKind: null };
    expect(Object.values(byKind ?? {}).reduce((a, b) => a + b, 0)).toBe(summary?.allocatedPeakBytes);
  });

  test('counts weights, gradients and optimizer state as what they are', () => {
    const weights = 2 * parameterCount(llama);
    const atStep = points.filter(({ phase }) => phase === 'optimizer').at(-1)?.byKind;
    expect(atStep?.parameters).toBeGreaterThanOrEqual(weights);
    expect(atStep?.parameters).toBeLessThan(weights + 64 * KIB);
    expect(atStep?.gradients).toBeGreaterThanOrEqual(weights);
    expect(atStep?.optimizer).toBeGreaterThanOrEqual(2 * weights);
  });
});

/** Bytes of each kind that stay after a step. */
function keptAfterStep(settings: TrainingSettings): Record<string, number> {
  const { log } = tapedPeaks(llama, settings, 2);
  const player = new LogPlayer(log, unlimited);
  player.play(rangeBetween(log, null, endOf('zero_grad', 2)));
  return Object.fromEntries(memoryKinds.map((kind, index) => [kind, player.bytesByKind[index] ?? 0]));
}

describe('optimizers keep for a parameter', () => {
  const count = parameterCount(llama);

  test.each<[OptimizerName, number]>([
    ['adamw', 4],
    ['adamw-fused', 4],
    ['adamw-loop', 4],
    ['sgd', 0],
    ['sgd-momentum', 2],
    ['lion', 2],
  ])('%s: %i bytes of 16-bit weights', (optimizer, bytes) => {
    const { optimizer: state = 0 } = keptAfterStep({ ...plain, optimizer });
    // Each small tensor takes a block of its own.
    expect(state).toBeGreaterThanOrEqual(bytes * count);
    expect(state).toBeLessThan(bytes * count + 128 * KIB);
  });

  test('Adafactor rows and columns, 8-bit AdamW one byte for each moment', () => {
    expect(keptAfterStep({ ...plain, optimizer: 'adafactor' })['optimizer']).toBeLessThan(0.1 * count);
    const { optimizer: small = 0 } = keptAfterStep({ ...plain, optimizer: 'adamw-8bit' });
    const { optimizer: full = 0 } = keptAfterStep(plain);
    expect(small).toBeLessThan(full);
  });
});

describe('what is asked for shows in the peak', () => {
  const peakOf = (changes: Partial<TrainingSettings>, architecture = llama): number =>
    summarise(play(architecture, { ...plain, ...changes }), unlimited, 0)?.allocatedPeakBytes ?? 0;
  const long = { microBatch: 8, sequence: 512 };

  test('checkpointing, adapters and accumulation', () => {
    expect(peakOf({ ...long, checkpointing: { kind: 'full' } })).toBeLessThan(peakOf(long));
    expect(peakOf({ method: lora(4) })).toBeLessThan(peakOf({}));
    // Gradients stay through the next forward, whose end is the peak of a long batch.
    expect(peakOf({ ...long, accumulation: 2 })).toBeGreaterThan(peakOf(long));
    expect(peakOf({ ...long, accumulation: 4 })).toBe(peakOf({ ...long, accumulation: 2 }));
  });

  test('eager attention keeps the scores', () => {
    expect(peakOf({ ...long, attention: 'eager' })).toBeGreaterThan(peakOf(long));
  });

  test('more samples and longer ones take more', () => {
    const peaks = [1, 2, 4, 8].map((microBatch) => peakOf({ microBatch }));
    expect(peaks).toEqual([...peaks].sort((a, b) => a - b));
    expect(peakOf({ sequence: 1024 })).toBeGreaterThan(peakOf({ sequence: 512 }));
  });
});
