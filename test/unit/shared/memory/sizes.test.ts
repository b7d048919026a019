/** Sizes at the ends of what can be asked: one token, weights in shards, cards that hold a model but not its making, absurd batches. */
import { describe, expect, it } from 'vitest';
import { estimate, type Estimate } from '../../../../shared/memory/estimate';
import { multiply } from '../../../../shared/memory/operations/elementwise';
import { hold } from '../../../../shared/memory/tape/tape';
import { HALF } from '../../../../shared/memory/tape/tensor';
import type { Architecture } from '../../../../shared/model/architecture';
import { architectureOf, cardsOf, questionOf, smallLlama } from '../strategy/questions';
import { newTape } from './tape/tapes';

/** The answer, or the key of the reason why there is none. */
function ask(model: Architecture, wishes: Readonly<Record<string, unknown>>): Estimate | string {
  const answer = estimate(model, questionOf(model, cardsOf(), wishes).request);
  return answer.kind === 'estimate' ? answer.estimate : answer.reason.key;
}

const peakOf = (answer: Estimate | string): number =>
  typeof answer === 'string' ? NaN : (answer.cards[0]?.allocatedPeakBytes ?? NaN);

describe('one token', () => {
  it('has as many elements as a weight, and all dimensions', () => {
    const tape = newTape();
    const weight = hold(tape.create([8], HALF));
    const token = hold(tape.create([1, 1, 8], HALF));
    expect(multiply(weight, token).shape).toEqual([1, 1, 8]);
    expect(multiply(token, weight).shape).toEqual([1, 1, 8]);
  });

  it('takes no more than two, in a block that is played by its shapes', () => {
    const model = architectureOf({
      model_type: 'nemotron_h',
      architectures: ['NemotronHForCausalLM'],
      hidden_size: 512,
      intermediate_size: 1024,
      num_hidden_layers: 4,
      hybrid_override_pattern: 'M*-M',
      num_attention_heads: 8,
      num_key_value_heads: 2,
      head_dim: 64,
      vocab_size: 1024,
      mamba_num_heads: 8,
      mamba_head_dim: 64,
      ssm_state_size: 16,
      n_groups: 1,
      conv_kernel: 4,
    });
    const at = (seq: number): number => peakOf(ask(model, { seq, precision: 'bf16' }));
    expect(at(1)).toBeLessThanOrEqual(at(2));
  });
});

describe('Muon', () => {
  const model = smallLlama(512, 4, 512);
  const settings = { optimizer: 'muon', precision: 'bf16', seq: 32 };

  it('works on the matrices that shards are cut from, not on squares of the shards', () => {
    const alone = peakOf(ask(model, { ...settings, strategy: 'single' }));
    for (const strategy of ['fsdp-full', 'fsdp-grad-op']) {
      const sharded = peakOf(ask(model, { ...settings, strategy, world: 4 }));
      expect(sharded).toBeLessThan(alone);
    }
  });

  it('keeps one moment where AdamW keeps two', () => {
    const optimizerBytes = (optimizer: string): number => {
      const answer = ask(model, { ...settings, optimizer, strategy: 'single', seq: 2048 });
      return typeof answer === 'string' ? NaN : (answer.cards[0]?.peak.byKind.optimizer ?? NaN);
    };
    const [muon, adamw] = [optimizerBytes('muon'), optimizerBytes('adamw-fused')];
    // The table and the head of 512 x 512 are AdamW's.
    expect(muon).toBeLessThan(0.6 * adamw);
    expect(muon).toBeGreaterThan(0.5 * adamw);
  });
});

describe('a card', () => {
  it('needs no room for what building a model takes and gives back', () => {
    // The head is made and then replaced by the table: 62 MiB that are gone before the first step.
    const model = architectureOf({
      model_type: 'llama',
      architectures: ['LlamaForCausalLM'],
      hidden_size: 256,
      intermediate_size: 512,
      num_hidden_layers: 1,
      num_attention_heads: 4,
      vocab_size: 64_000,
      tie_word_embeddings: true,
    });
    const wishes = { method: 'lora', precision: 'fp32', seq: 8, contextMib: 0, card: 'RTX 3090' };
    const free = ask(model, wishes);
    if (typeof free === 'string') throw new Error(free);
    const [card] = free.cards;
    const needMib = Math.ceil((card?.reservedPeakBytes ?? NaN) / 2 ** 20);
    const fitted = ask(model, { ...wishes, cardMib: needMib });
    if (typeof fitted === 'string') throw new Error(fitted);
    expect(needMib).toBeLessThan(2 * 63 + 16);
    expect(fitted.cards[0]?.verdict).toBe('tight');
    expect(fitted.maxMicroBatch).toBeGreaterThanOrEqual(1);
  });
});

describe('an absurd batch', () => {
  const model = smallLlama(128, 1, 64);

  it('is refused before it is played', () => {
    expect(ask(model, { microBatch: 131_072, seq: 134_217_728 })).toBe('memory.tooManyTokens');
    expect(ask(model, { microBatch: 2, seq: 134_217_728 })).toBe('memory.tooManyTokens');
  });

  it('is refused where its step is beyond any machine', () => {
    const asked = { seq: 2 ** 25, attention: 'eager', expandableSegments: true };
    expect(ask(model, asked)).toBe('memory.beyondAnyMachine');
    expect(peakOf(ask(model, { ...asked, attention: 'sdpa' }))).toBeGreaterThan(2 ** 30);
  });
});
