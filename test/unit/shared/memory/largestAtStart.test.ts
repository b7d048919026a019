/**
 * The largest micro-batch with which a training can begin, as found on an H200 that let the allocator have 24,064 MiB: every size in a
 * process of its own (test/real-card/largest_batch.py). Searching upwards in one process finds other numbers.
 */
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../../shared/families/readModel';
import { catalogueEntry } from '../../../../shared/model/catalogue/catalogue';
import { estimate } from '../../../../shared/memory/estimate';
import { largestMicroBatches } from '../../../../shared/memory/largestOnCards';
import { readRequest } from '../../../../shared/memory/request';

type Config = Readonly<Record<string, unknown>>;

const card = { cardMib: [24_564], contextMib: 500 };

function ask(config: Config | string, training: object) {
  const reading = readConfig(typeof config === 'string' ? (catalogueEntry(config)?.config ?? {}) : config);
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  const request = readRequest({ ...training, ...card }, { label: (key) => key, timeline: false });
  if (request.kind === 'refused') throw new Error(request.reason.key);
  return { architecture: reading.architecture, request: request.request };
}

const olmo2 = {
  architectures: ['Olmo2ForCausalLM'],
  model_type: 'olmo2',
  hidden_size: 2048,
  num_hidden_layers: 16,
  num_attention_heads: 16,
  num_key_value_heads: 16,
  intermediate_size: 8192,
  vocab_size: 100_352,
};
const full = { checkpointing: 'full' };
const measured: readonly (readonly [Config | string, object, number])[] = [
  ['qwen3-0.6b', { precision: 'amp-bf16', seq: 1024, optimizer: 'adamw-fused' }, 3],
  ['pythia-1b', { precision: 'bf16', seq: 1024, optimizer: 'adamw', ...full }, 21],
  ['gpt2-medium', { precision: 'fp32', seq: 512, optimizer: 'adamw' }, 11],
  [
    'tinyllama-1.1b',
    { precision: 'bf16', seq: 2048, optimizer: 'adamw-fused', method: 'lora', loraRank: 16 },
    3,
  ],
  ['qwen2.5-1.5b', { precision: 'bf16', seq: 1024, optimizer: 'sgd-momentum', ...full }, 7],
  ['opt-1.3b', { precision: 'bf16', seq: 1024, optimizer: 'adamw-fused' }, 8],
  ['bert-large', { precision: 'amp-fp16', seq: 512, optimizer: 'adamw-fused' }, 27],
  ['vit-large', { precision: 'amp-bf16', seq: 1024, optimizer: 'adamw-fused' }, 103],
  ['phi-2', { precision: 'bf16', seq: 1024, optimizer: 'adamw', method: 'lora', loraRank: 8, ...full }, 22],
  [olmo2, { precision: 'amp-bf16', seq: 1024, optimizer: 'adamw-fused', ...full }, 2],
];

describe('the largest micro-batch that a training can begin with', () => {
  for (const [config, training, largest] of measured)
    it(`of ${typeof config === 'string' ? config : 'OLMo 2 1B'} is ${largest}`, () => {
      const { architecture, request } = ask(config, training);
      expect(largestMicroBatches(architecture, request)?.atStart).toBe(largest);
    });

  it('is told beside the one that a search finds, where it is smaller', () => {
    const { architecture, request } = ask('pythia-1b', {
      precision: 'bf16',
      seq: 1024,
      optimizer: 'adamw',
      ...full,
    });
    const answer = estimate(architecture, request);
    expect(answer).toMatchObject({
      kind: 'estimate',
      estimate: {
        maxMicroBatch: 26,
        warnings: [{ key: 'memory.largestAtStart', values: { atStart: 21, grown: 26 } }],
      },
    });
  });
});
