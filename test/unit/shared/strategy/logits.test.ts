import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRequest } from '../../../../shared/memory/check';
import { precisionNames, strategyNames } from '../../../../shared/memory/configuration';
import { quickPeaks } from '../../../../shared/strategy/judge';
import { logitsOf } from '../../../../shared/strategy/logits';
import { plan } from '../../../../shared/strategy/plan';
import { architectureOf, cardsOf, questionOf, smallLlama } from './questions';

const sizes = { vocab_size: 2048, hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4 };
const models = [
  smallLlama(128, 2, 2048),
  architectureOf({
    ...sizes,
    model_type: 'bert',
    architectures: ['BertForMaskedLM'],
    intermediate_size: 128,
    max_position_embeddings: 64,
    type_vocab_size: 2,
  }),
  architectureOf({
    model_type: 't5',
    architectures: ['T5ForConditionalGeneration'],
    vocab_size: 2048,
    d_model: 64,
    d_kv: 16,
    d_ff: 128,
    num_layers: 2,
    num_decoder_layers: 2,
    num_heads: 4,
    relative_attention_num_buckets: 32,
  }),
];

describe('the logits of a micro-batch', () => {
  it('are at most the peak that is played', () => {
    const configurations = fc.record({
      strategy: fc.constantFrom(...strategyNames),
      precision: fc.constantFrom(...precisionNames),
      checkpointing: fc.constantFrom('none', 'full'),
      world: fc.constantFrom(1, 2),
      seq: fc.constantFrom(16, 64),
      microBatch: fc.constantFrom(1, 4),
    });
    fc.assert(
      fc.property(fc.constantFrom(...models), configurations, (model, wishes) => {
        const world = wishes.strategy === 'single' ? 1 : wishes.world;
        const { request } = questionOf(model, cardsOf(), { ...wishes, world });
        if (checkRequest(model, request) !== null) return;
        const bytes = logitsOf(model, request)?.bytes ?? Infinity;
        expect(bytes).toBeGreaterThanOrEqual((16 * 2048 * 4) / 2);
        expect(bytes).toBeLessThanOrEqual(Math.max(...quickPeaks(model, request).map((peak) => peak.bytes)));
      }),
      { numRuns: 150 },
    );
  });

  it('are none where no tokens are predicted', () => {
    const images = architectureOf({
      ...sizes,
      model_type: 'vit',
      architectures: ['ViTForImageClassification'],
      intermediate_size: 128,
      image_size: 32,
      patch_size: 16,
      num_channels: 3,
      num_labels: 10,
    });
    expect(logitsOf(images, questionOf(images, cardsOf()).request)).toBeNull();
  });

  it('refuse a sequence that no way to train makes fit', () => {
    const question = questionOf(smallLlama(512, 4, 2000), cardsOf(24_576, 24_576), { seq: 99_999_999 });
    const { plans, refused } = plan(question);
    expect(plans).toEqual([]);
    expect(new Set(refused.map(({ why }) => why.key))).toEqual(new Set(['strategy.logits']));
    expect(refused.find(({ strategy }) => strategy === 'single')?.why.values).toEqual({
      tokens: 99_999_999,
      vocabulary: 2000,
      bytes: 799_999_992_000,
      card: 25_769_803_776,
    });
  });
});
