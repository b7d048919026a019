import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offloadNames, precisionNames, strategyNames } from '../../../../shared/memory/configuration';
import { estimate, type Estimate } from '../../../../shared/memory/estimate';
import { readRequest } from '../../../../shared/memory/request';
import { optimizerNames } from '../../../../shared/memory/training/optimizers';
import { scheduleNames } from '../../../../shared/memory/training/pipeline/schedule';
import type { Architecture } from '../../../../shared/model/architecture';
import { architectureOf, smallLlama } from '../strategy/questions';

const positions = { vocab_size: 96, max_position_embeddings: 64 };
const models: Readonly<Record<string, Architecture>> = {
  llama: smallLlama(256, 4, 256),
  gpt2: architectureOf({
    ...positions,
    model_type: 'gpt2',
    architectures: ['GPT2LMHeadModel'],
    n_embd: 64,
    n_layer: 4,
    n_head: 4,
    n_positions: 64,
  }),
  bert: architectureOf({
    ...positions,
    model_type: 'bert',
    architectures: ['BertForMaskedLM'],
    hidden_size: 64,
    num_hidden_layers: 4,
    num_attention_heads: 4,
    intermediate_size: 128,
    type_vocab_size: 2,
  }),
  mixtral: architectureOf({
    ...positions,
    model_type: 'mixtral',
    architectures: ['MixtralForCausalLM'],
    hidden_size: 64,
    num_hidden_layers: 4,
    num_attention_heads: 4,
    num_key_value_heads: 4,
    intermediate_size: 128,
    num_local_experts: 4,
    num_experts_per_tok: 2,
  }),
};

const divisible = smallLlama(256, 4, 256);

/** A configuration as a request has it. */
const configurations = fc.record({
  method: fc.constantFrom('full', 'lora', 'qlora'),
  strategy: fc.constantFrom(...strategyNames),
  schedule: fc.constantFrom(...scheduleNames),
  offload: fc.oneof({ weight: 3, arbitrary: fc.constant('none') }, fc.constantFrom(...offloadNames)),
  checkpointing: fc.constantFrom('none', 'full', 'selective', 'segments:2'),
  attention: fc.constantFrom('sdpa', 'eager'),
  precision: fc.constantFrom(...precisionNames),
  optimizer: fc.constantFrom(...optimizerNames),
  gradClip: fc.boolean(),
  expandableSegments: fc.boolean(),
  accumulation: fc.constantFrom(1, 2, 4),
  microBatch: fc.constantFrom(1, 2),
  seq: fc.constantFrom(8, 32),
  world: fc.constantFrom(1, 2, 4),
});

type Fields = Readonly<Record<string, unknown>>;

/** The answer, or the key of the reason why there is none. Throws where a request cannot even be read. */
function ask(model: Architecture, configuration: Fields): Estimate | string {
  const fields = configuration['strategy'] === 'single' ? { ...configuration, world: 1 } : configuration;
  const reading = readRequest(fields, { label: (key) => key, timeline: false });
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  const answer = estimate(model, reading.request, false);
  return answer.kind === 'estimate' ? answer.estimate : answer.reason.key;
}

/** What is really impossible, or is known to have no code to play. */
const reasons = [
  'memory.offloadNeedsSharding',
  'memory.badOffload',
  'memory.noTensorPlan',
  'memory.qloraTensor',
  'memory.loraTensor',
];

const peaksOf = (answer: Estimate | string): readonly number[] =>
  typeof answer === 'string' ? [] : answer.cards.map(({ allocatedPeakBytes }) => allocatedPeakBytes);
const fullest = (answer: Estimate | string): number => Math.max(0, ...peaksOf(answer));

describe('any combination of method, strategy, offload, checkpointing, precision and optimizer', () => {
  it.each(Object.entries(models))('of %s is played, or refused for a reason', (_name, model) => {
    fc.assert(
      fc.property(configurations, (configuration) => {
        const answer = ask(model, configuration);
        if (typeof answer === 'string') {
          expect(reasons).toContain(answer);
          return;
        }
        expect(answer.cards).toHaveLength(configuration.strategy === 'single' ? 1 : configuration.world);
        for (const { allocatedPeakBytes, interval, processBytes, reservedPeakBytes } of answer.cards) {
          expect(allocatedPeakBytes).toBeGreaterThan(0);
          expect(reservedPeakBytes).toBeGreaterThanOrEqual(allocatedPeakBytes);
          for (const bytes of [allocatedPeakBytes, reservedPeakBytes, processBytes, interval.highBytes])
            expect(Number.isSafeInteger(bytes)).toBe(true);
          expect(interval.lowBytes).toBeLessThanOrEqual(processBytes);
          expect(interval.highBytes).toBeGreaterThanOrEqual(processBytes);
        }
      }),
      { numRuns: 120 },
    );
  });

  it('takes no less with more samples or longer ones', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(models)), configurations, (model, configuration) => {
        const before = fullest(ask(model, { ...configuration, microBatch: 1, seq: 16 }));
        expect(fullest(ask(model, { ...configuration, microBatch: 2, seq: 16 }))).toBeGreaterThanOrEqual(
          before,
        );
        expect(fullest(ask(model, { ...configuration, microBatch: 1, seq: 32 }))).toBeGreaterThanOrEqual(
          before,
        );
      }),
      { numRuns: 100 },
    );
  });

  it('takes no more on more cards where the state is divided', () => {
    const divided = fc.constantFrom(
      ...(['fsdp-full', 'fsdp-grad-op', 'zero1', 'zero2', 'zero3', 'tensor'] as const),
    );
    fc.assert(
      fc.property(divided, configurations, (strategy, configuration) => {
        const at = (world: number): number => fullest(ask(divisible, { ...configuration, strategy, world }));
        // Buffers for gathering and summing come with the second card.
        expect(at(4)).toBeLessThanOrEqual(at(2));
      }),
      { numRuns: 100 },
    );
  });

  it('keeps more in earlier stages, and all micro-batches under GPipe', () => {
    const [schedule, model] = ['1f1b', smallLlama(128, 8, 64)] as const;
    fc.assert(
      fc.property(configurations, fc.constantFrom(4, 8), (configuration, accumulation) => {
        const base = {
          ...configuration,
          strategy: 'pipeline',
          offload: 'none',
          method: 'full',
          checkpointing: 'none',
          world: 4,
          accumulation,
          seq: 32,
        };
        const oneByOne = ask(model, { ...base, schedule: 'sequential' });
        const inTurn = ask(model, { ...base, schedule });
        const all = ask(model, { ...base, schedule: 'gpipe' });
        const activations = (answer: Estimate | string, rank: number): number =>
          typeof answer === 'string' ? NaN : (answer.cards[rank]?.peak.byKind.activations ?? NaN);
        // Of the inner stages, which have two layers each, the earlier one waits for more micro-batches.
        expect(activations(inTurn, 1)).toBeGreaterThan(activations(inTurn, 2));
        expect(fullest(all)).toBeGreaterThanOrEqual(fullest(inTurn));
        expect(fullest(inTurn)).toBeGreaterThanOrEqual(fullest(oneByOne));
      }),
      { numRuns: 40 },
    );
  });
});
