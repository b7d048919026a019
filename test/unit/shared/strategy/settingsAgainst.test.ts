import { expect, it } from 'vitest';
import { changesOf } from '../../../../shared/strategy/detail';
import { plan } from '../../../../shared/strategy/plan';
import { settingsAgainst } from '../../../../shared/strategy/settingsAgainst';
import { cardsOf, questionOf, smallLlama } from './questions';

const model = smallLlama(512, 4, 2000);
const wishes = { seq: 256, contextMib: 300, card: 'RTX 3090' };

it.each([
  ['fsdp-full', 'adamw-8bit', 'strategy.eightBitSharded'],
  ['fsdp-grad-op', 'adafactor', 'strategy.adafactorDivided'],
  ['tensor', 'adafactor', 'strategy.adafactorDivided'],
  ['tensor', 'adamw-8bit', 'strategy.eightBitTensor'],
  ['fsdp-full', 'adamw-fused', null],
])('%s with %s: %s', (strategy, optimizer, key) => {
  const { request } = questionOf(model, cardsOf(8000, 8000), { ...wishes, strategy, optimizer });
  expect(settingsAgainst(model, { ...request, world: 2 })?.key ?? null).toBe(key);
});

it('no single change is advised that the planner would refuse', () => {
  const question = questionOf(model, cardsOf(8000, 8000), { ...wishes, strategy: 'fsdp-full' });
  const [best] = plan(question).plans;
  if (best === undefined) throw new Error('no plan');
  const kinds = [...changesOf(question, best)].map(({ kind }) => kind);
  expect(kinds).toContain('sequence');
  expect(kinds).not.toContain('qlora');
});
