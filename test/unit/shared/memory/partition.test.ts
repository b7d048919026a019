import { describe, expect, it } from 'vitest';
import { translate } from '../../../../shared/i18n/translate';
import { estimate, type Estimate } from '../../../../shared/memory/estimate';
import { readRequest } from '../../../../shared/memory/request';
import { microBatchesInFlight, stageActions } from '../../../../shared/memory/training/pipeline/schedule';
import type { Architecture } from '../../../../shared/model/architecture';
import { parameterCount, parameterTensors } from '../../../../shared/model/inventory';
import { tensorObstacle, tensorShard } from '../../../../shared/model/tensorParallel';
import { quickPeaks } from '../../../../shared/strategy/judge';
import { catalogued, smallLlama } from '../strategy/questions';

const MIB = 2 ** 20;

function requestOf(fields: object) {
  const reading = readRequest(fields, { label: (key) => key, timeline: false });
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  return reading.request;
}

function ask(model: Architecture, fields: object): Estimate {
  const answer = estimate(model, requestOf(fields));
  if (answer.kind === 'refused') throw new Error(translate('en', answer.reason));
  return answer.estimate;
}

function refusal(model: Architecture, fields: object): string {
  const answer = estimate(model, requestOf(fields));
  return answer.kind === 'refused' ? translate('en', answer.reason) : '';
}

describe('a schedule', () => {
  const short = (inFlight: number, microBatches: number): string =>
    stageActions(inFlight, microBatches)
      .map((action) => (action === 'forward' ? 'F' : 'B'))
      .join('');

  it('fills, alternates and drains', () => {
    expect(short(2, 4)).toBe('FFBFBFBB');
    expect(short(1, 3)).toBe('FBFBFB');
    expect(short(4, 4)).toBe('FFFFBBBB');
    expect(short(4, 2)).toBe('FFBB');
  });

  it('keeps fewer micro-batches on later stages', () => {
    const inFlight = (schedule: '1f1b' | 'gpipe' | 'sequential', microBatches: number): number[] =>
      [0, 1, 2, 3].map((index) => microBatchesInFlight(schedule, { index, count: 4 }, microBatches));
    expect(inFlight('1f1b', 8)).toEqual([4, 3, 2, 1]);
    expect(inFlight('1f1b', 2)).toEqual([2, 2, 2, 1]);
    expect(inFlight('gpipe', 8)).toEqual([8, 8, 8, 8]);
    expect(inFlight('sequential', 8)).toEqual([1, 1, 1, 1]);
  });
});

describe('a pipeline', () => {
  const model = smallLlama(512, 8, 4000);
  const pipeline = { strategy: 'pipeline', world: 4, accumulation: 8, seq: 256, microBatch: 2 };

  it('has its embedding on the first stage and its logits on the last', () => {
    const { cards } = ask(model, pipeline);
    const logits = cards.map(({ peak }) => peak.byKind.logits > 0);
    expect(logits).toEqual([false, false, false, true]);
    const weights = cards.map(({ peak }) => Math.round(peak.byKind.parameters / MIB));
    // Two layers have 26 MiB in fp32, table and head 7.8 MiB each.
    expect(weights).toEqual([34, 26, 26, 34]);
  });

  it('has a receive buffer for every micro-batch of a step', () => {
    const buffers = (accumulation: number): number[] =>
      ask(model, { ...pipeline, accumulation }).cards.map(({ peak }) => peak.byKind.buffers);
    const [few, many] = [buffers(8), buffers(16)];
    // Hidden states of 2 samples, 256 tokens and 512 elements in fp32: 1 MiB, received from one neighbour or from two.
    expect(many.map((bytes, rank) => Math.round((bytes - (few[rank] ?? 0)) / MIB))).toEqual([8, 16, 16, 8]);
  });

  it('is warned of, where 1F1B has too few micro-batches', () => {
    expect(ask(model, { ...pipeline, accumulation: 2 }).warnings.map(({ key }) => key)).toContain(
      'memory.fewMicroBatches',
    );
    expect(ask(model, { ...pipeline, accumulation: 2, schedule: 'gpipe' }).warnings).toEqual([]);
  });

  it('gives larger cards more layers', () => {
    const { assumptions, cards } = ask(model, { ...pipeline, world: 2, cardMib: [3000, 1000] });
    expect(assumptions.map((text) => translate('en', text)).join(' ')).toContain(
      'Layers of each stage: 7 + 1.',
    );
    expect(cards.map(({ cardBytes }) => (cardBytes ?? 0) / MIB)).toEqual([3000, 1000]);
  });

  it('finds the largest micro-batch that every stage can hold', () => {
    const limits = { ...pipeline, cardMib: [1500], contextMib: 300 };
    const { maxMicroBatch } = ask(model, limits);
    const largest = maxMicroBatch ?? 0;
    expect(largest).toBeGreaterThan(2);
    const verdicts = (microBatch: number): unknown[] =>
      ask(model, { ...limits, microBatch }).cards.map(({ verdict }) => verdict);
    expect(verdicts(largest)).not.toContain('no');
    expect(verdicts(largest + 1)).toContain('no');
  });

  it.each([
    [8, '1f1b'],
    [4, '1f1b'],
    [4, 'gpipe'],
    [8, 'sequential'],
  ])('has a quick peak close to the whole one: %i micro-batches, %s', (accumulation, schedule) => {
    const deep = smallLlama(256, 40, 2000);
    const request = { ...pipeline, accumulation, schedule };
    const { cards } = ask(deep, request);
    for (const { bytes, rank } of quickPeaks(deep, requestOf(request))) {
      const whole = cards[rank]?.allocatedPeakBytes ?? 0;
      expect(bytes / whole).toBeGreaterThan(0.97);
      expect(bytes / whole).toBeLessThan(1.03);
    }
  });

  it('has no micro-batch in flight while the optimizer steps, in the quick form too', () => {
    // A table so large that the loop of AdamW, which copies it, takes more than any backward of the first stage.
    const tabled = smallLlama(256, 12, 48_000);
    const request = {
      ...pipeline,
      schedule: 'gpipe',
      accumulation: 8,
      seq: 64,
      precision: 'bf16',
      optimizer: 'adamw-loop',
    };
    const [first] = ask(tabled, request).cards;
    expect(first?.peak.phase).toBe('optimizer');
    const [quick] = quickPeaks(tabled, requestOf(request));
    expect((quick?.bytes ?? 0) / (first?.allocatedPeakBytes ?? 0)).toBeGreaterThan(0.97);
    expect((quick?.bytes ?? 0) / (first?.allocatedPeakBytes ?? 0)).toBeLessThan(1.03);
  });

  it('is refused in one line where there is nothing to cut between', () => {
    expect(refusal(smallLlama(64, 2, 100), { strategy: 'pipeline', world: 4, seq: 8 })).toBe(
      'A model of 2 layers cannot be cut into 4 stages.',
    );
    expect(refusal(catalogued('t5-base'), { strategy: 'pipeline', world: 2, seq: 8 })).toBe(
      'T5ForConditionalGeneration has 2 stacks of layers; stages are cut between the layers of one stack only.',
    );
  });
});

describe('layers that one process places', () => {
  const placed = { strategy: 'pipeline', schedule: 'sequential', world: 2, seq: 256, microBatch: 2 };

  it('need no communicator and no receive buffers', () => {
    const model = smallLlama(512, 8, 4000);
    const { cards } = ask(model, placed);
    const single = ask(model, { seq: 256, microBatch: 2 }).cards[0];
    expect(cards.map(({ contextBytes }) => contextBytes)).toEqual([
      single?.contextBytes,
      single?.contextBytes,
    ]);
    expect(Math.max(...cards.map(({ peak }) => peak.byKind.buffers))).toBeLessThan(2 * MIB);
  });

  it('have a tied head beside the table, a pipeline has a copy of it', () => {
    const logits = (fields: object): boolean[] =>
      ask(catalogued('qwen2.5-0.5b'), { ...placed, ...fields }).cards.map(
        ({ peak }) => peak.byKind.logits > 0,
      );
    expect(logits({})).toEqual([true, false]);
    expect(logits({ schedule: '1f1b', accumulation: 2 })).toEqual([false, true]);
  });
});

describe('tensor parallelism', () => {
  it('divides projections and the head, and leaves norms and table whole', () => {
    const model = smallLlama(512, 4, 4096);
    const { architecture, layouts } = tensorShard(model, 4);
    const shapes = new Map(parameterTensors(architecture).map(({ name, shape }) => [name, shape]));
    expect(shapes.get('model.layers.0.self_attn.q_proj.weight')).toEqual([128, 512]);
    expect(shapes.get('model.layers.0.self_attn.o_proj.weight')).toEqual([512, 128]);
    expect(shapes.get('model.layers.3.mlp.down_proj.weight')).toEqual([512, 384]);
    expect(shapes.get('model.layers.3.input_layernorm.weight')).toEqual([512]);
    expect(shapes.get('model.embed_tokens.weight')).toEqual([4096, 512]);
    expect(shapes.get('lm_head.weight')).toEqual([1024, 512]);
    expect([layouts.get('lm_head'), layouts.get('model.layers.1.mlp.up_proj')]).toEqual([
      'gathered',
      'column',
    ]);
    const whole = 4096 * 512 + 9 * 512;
    expect(parameterCount(architecture)).toBe((parameterCount(model) - whole) / 4 + whole);
  });

  it('keeps the experts of a mixture on every card, each narrower', () => {
    const { architecture } = tensorShard(catalogued('mixtral-8x7b'), 2);
    const shapes = new Map(parameterTensors(architecture).map(({ name, shape }) => [name, shape]));
    expect(shapes.get('model.layers.0.mlp.experts.gate_up_proj')).toEqual([8, 14_336, 4096]);
    expect(shapes.get('model.layers.0.mlp.experts.down_proj')).toEqual([8, 4096, 7168]);
    expect(shapes.get('model.layers.0.mlp.gate.weight')).toEqual([8, 4096]);
  });

  it('gathers what a norm over all heads needs whole', () => {
    const { architecture, layouts } = tensorShard(catalogued('olmo-2-32b'), 8);
    expect(layouts.get('model.layers.0.self_attn.q_proj')).toBe('gathered');
    expect(layouts.get('model.layers.0.self_attn.o_proj')).toBe('split');
    const [layer] = architecture.stacks[0]?.layers ?? [];
    expect(layer?.mixer).toMatchObject({ heads: 40, keyValueHeads: 8 });
  });

  it('is the same step as on one card where there is one', () => {
    const model = smallLlama(512, 4, 4096);
    const peak = (fields: object): number =>
      ask(model, { seq: 256, ...fields }).cards[0]?.allocatedPeakBytes ?? 0;
    expect(peak({ strategy: 'tensor', world: 1 })).toBe(peak({}));
  });

  it('is refused in one line', () => {
    const tensor = { strategy: 'tensor', seq: 64 };
    expect(refusal(catalogued('tinyllama-1.1b'), { ...tensor, world: 8 })).toBe(
      '4 key-value heads cannot be divided evenly among 8 cards.',
    );
    expect(refusal(catalogued('llama-2-7b'), { ...tensor, world: 3 })).toBe(
      '32 attention heads cannot be divided evenly among 3 cards.',
    );
    expect(refusal(catalogued('gpt2'), { ...tensor, world: 2 })).toContain(
      'no plan for tensor parallelism of GPT2LMHeadModel',
    );
    expect(refusal(catalogued('llama-2-7b'), { ...tensor, world: 2, method: 'qlora' })).toBe(
      "bitsandbytes' 4-bit weights cannot be divided for tensor parallelism; use --method lora.",
    );
    expect(tensorObstacle(smallLlama(512, 4, 4001), 2)).toEqual({
      kind: 'uneven',
      what: 'vocabulary',
      size: 4001,
    });
  });
});
