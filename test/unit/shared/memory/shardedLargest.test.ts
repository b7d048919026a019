import { expect, test } from 'vitest';
import { estimate } from '../../../../shared/memory/estimate';
import { architectureOf, cardsOf, questionOf, smallLlama } from '../strategy/questions';

/** 1.6 thousand million parameters: more than 3,000 MiB in bf16, which none of these cards could hold. */
const model = smallLlama(2048, 24, 8_000);

test('a model that is too large for one card is sharded before it is put there', () => {
  const { request } = questionOf(model, cardsOf(), {
    strategy: 'fsdp-full',
    world: 4,
    method: 'lora',
    precision: 'bf16',
    checkpointing: 'full',
    seq: 256,
    cardMib: 2400,
    contextMib: 200,
  });
  const answer = estimate(model, request);
  if (answer.kind === 'refused') throw new Error(answer.reason.key);
  const { cards, maxMicroBatch, parameters } = answer.estimate;
  expect(2 * parameters).toBeGreaterThan(2400 * 2 ** 20);
  expect(cards[0]?.processBytes).toBeLessThan(2000 * 2 ** 20);
  expect(cards.map(({ verdict }) => verdict)).toEqual(['fits', 'fits', 'fits', 'fits']);
  expect(maxMicroBatch).toBeGreaterThanOrEqual(1);
});

test('more experts than cards are divided, fewer are padded: DeepSpeed cuts between all elements, FSDP between rows', () => {
  const mixture = architectureOf({
    model_type: 'mixtral',
    architectures: ['MixtralForCausalLM'],
    vocab_size: 512,
    hidden_size: 256,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 4,
    intermediate_size: 1024,
    num_local_experts: 4,
    num_experts_per_tok: 2,
  });
  const asked = (strategy: string, world: number): { peak: number; warnings: readonly string[] } => {
    const { request } = questionOf(mixture, cardsOf(), {
      strategy,
      world,
      precision: 'bf16',
      seq: 16,
      optimizer: 'adamw',
    });
    const answer = estimate(mixture, request);
    if (answer.kind === 'refused') throw new Error(answer.reason.key);
    const { cards, warnings } = answer.estimate;
    return { peak: cards[0]?.peak.byKind.optimizer ?? NaN, warnings: warnings.map(({ key }) => key) };
  };
  const optimizerBytes = (strategy: string, world: number): number => asked(strategy, world).peak;
  // Nearly all parameters are in the experts: two layers of four, each 3 x 256 x 1024.
  expect(optimizerBytes('zero3', 16)).toBeLessThan(0.6 * optimizerBytes('zero3', 8));
  expect(optimizerBytes('fsdp-full', 16)).toBeGreaterThan(0.9 * optimizerBytes('fsdp-full', 8));
  expect(asked('fsdp-full', 4).warnings).toEqual([]);
  expect(asked('fsdp-full', 16).warnings).toEqual(['memory.fsdpPadding']);
  expect(asked('zero3', 16).warnings).toEqual([]);
});
