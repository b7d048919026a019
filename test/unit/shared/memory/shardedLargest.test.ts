import { expect, test } from 'vitest';
import { estimate } from '../../../../shared/memory/estimate';
import { cardsOf, questionOf, smallLlama } from '../strategy/questions';

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
