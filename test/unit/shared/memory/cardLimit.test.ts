/**
 * Verdict, reserved memory and the largest micro-batch under a card's limit: one play decides all three, so that they cannot contradict
 * each other.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimate } from '../../../../shared/memory/estimate';
import { readRequest } from '../../../../shared/memory/request';
import { catalogueEntry } from '../../../../shared/model/catalogue/catalogue';
import { readConfig } from '../../../../shared/families/readModel';
import { GiB, MiB } from '../../../../shared/units';

function answered(config: Readonly<Record<string, unknown>>, training: Readonly<Record<string, unknown>>) {
  const reading = readConfig(config);
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  const request = readRequest(training, { label: (key) => key, timeline: false });
  if (request.kind === 'refused') throw new Error(request.reason.key);
  const answer = estimate(reading.architecture, request.request);
  if (answer.kind === 'refused') throw new Error(answer.reason.key);
  return answer.estimate;
}

const tiny = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  hidden_size: 256,
  intermediate_size: 688,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  vocab_size: 2048,
  max_position_embeddings: 512,
  tie_word_embeddings: false,
};

const configurations = fc.record({
  microBatch: fc.integer({ min: 1, max: 12 }),
  seq: fc.constantFrom(64, 200, 512),
  precision: fc.constantFrom('fp32', 'bf16', 'amp-bf16', 'amp-fp16'),
  optimizer: fc.constantFrom('adamw', 'adamw-fused', 'sgd', 'adafactor'),
  checkpointing: fc.constantFrom('none', 'full'),
  accumulation: fc.constantFrom(1, 2, 3),
  gradClip: fc.boolean(),
  expandableSegments: fc.boolean(),
  method: fc.constantFrom('full', 'lora'),
  spread: fc.constantFrom(
    { strategy: 'single', world: 1 },
    { strategy: 'ddp', world: 2 },
    { strategy: 'dp', world: 2 },
    { strategy: 'fsdp-full', world: 2, gradientSync: 'last' },
    { strategy: 'fsdp-grad-op', world: 3, gradientSync: 'each' },
    { strategy: 'pipeline', world: 2, accumulation: 2 },
  ),
  contextMib: fc.constantFrom(0, 100),
  cardMib: fc.integer({ min: 20, max: 900 }),
});

describe('under a card’s limit', () => {
  it('verdict, reserved memory and the largest micro-batch agree', () => {
    fc.assert(
      fc.property(configurations, ({ cardMib, spread, ...training }) => {
        const { cards, maxMicroBatch } = answered(tiny, { ...training, ...spread, cardMib: [cardMib] });
        const completes = cards.every(({ verdict }) => verdict !== 'no');
        expect(maxMicroBatch === null ? null : maxMicroBatch >= training.microBatch).toBe(completes);
        for (const card of cards) {
          const { allocatedPeakBytes, contextBytes, interval, processBytes, reservedPeakBytes, verdict } =
            card;
          expect(reservedPeakBytes).toBeLessThanOrEqual(Math.max(0, cardMib * MiB - contextBytes));
          expect(processBytes).toBe(reservedPeakBytes + contextBytes);
          expect(interval.highBytes <= cardMib * MiB && completes).toBe(verdict === 'fits' && completes);
          if (verdict !== 'no') expect(allocatedPeakBytes).toBeLessThanOrEqual(reservedPeakBytes);
        }
      }),
      { numRuns: 60, seed: 1701 },
    );
  });

  /**
   * Tried on an H200 with `set_per_process_memory_fraction` of 79.56 GiB (PyTorch 2.11): 74.85 GiB allocated; a process that begins with 4
   * samples runs out of memory in its second step, one that begins with 3 does not (79.14 GiB reserved), nor one with 4 and expandable
   * segments (74.95 GiB reserved).
   */
  describe('llama-3-8b on an A100 of 80 GiB', () => {
    const config = catalogueEntry('llama-3-8b')?.config ?? {};
    const training = {
      ...{ seq: 4096, checkpointing: 'full', attention: 'flash', optimizer: 'adamw', gradClip: true },
      ...{ precision: 'bf16', card: 'A100', cardMib: [81_920] },
    };
    const rounded = (bytes: number | undefined): number => Math.round((10 * (bytes ?? 0)) / GiB) / 10;

    it('is tight with four samples, which complete after smaller ones, and says with how many it can begin', () => {
      const { cards, maxMicroBatch, warnings } = answered(config, { ...training, microBatch: 4 });
      expect(rounded(cards[0]?.allocatedPeakBytes)).toBe(74.8);
      expect(cards[0]?.reservedPeakBytes).toBeLessThanOrEqual(79.6 * GiB);
      expect(rounded(cards[0]?.unlimitedProcessBytes)).toBe(103);
      expect(cards[0]?.verdict).toBe('tight');
      expect(maxMicroBatch).toBe(4);
      expect(warnings).toContainEqual({ key: 'memory.largestAtStart', values: { atStart: 3, grown: 4 } });
    });

    it('fits with expandable segments', () => {
      const { cards } = answered(config, { ...training, microBatch: 4, expandableSegments: true });
      expect(rounded(cards[0]?.reservedPeakBytes)).toBe(75.5);
      expect(cards[0]?.verdict).toBe('fits');
    });

    it('does not fit with five, of which the answer is that four do', () => {
      const { cards, maxMicroBatch } = answered(config, { ...training, microBatch: 5 });
      expect(cards[0]?.verdict).toBe('no');
      expect(maxMicroBatch).toBe(4);
      expect(cards[0]?.processBytes).toBeLessThanOrEqual(80 * GiB);
    });
  });
});
