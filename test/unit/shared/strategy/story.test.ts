import { describe, expect, it } from 'vitest';
import { translate } from '../../../../shared/i18n/translate';
import { estimate } from '../../../../shared/memory/estimate';
import { ask } from '../../../../shared/strategy/ask';
import { plan } from '../../../../shared/strategy/plan';
import { GiB } from '../../../../shared/units';
import { cardsOf, catalogued, questionOf } from './questions';

/** Two RTX 3090 as nvidia-smi shows them; 500 MiB are set aside as in the measured search for the largest micro-batch. */
const twoCards = cardsOf(24_564, 24_564);
const story = { seq: 1024, contextMib: 500, card: 'RTX 3090' };

describe('Llama-2 13B on two cards of 24,564 MiB', () => {
  const planning = plan(questionOf(catalogued('llama-2-13b'), twoCards, story, { hostBytes: 64 * GiB }));
  const whyNot = (method: string, strategy: string): string => {
    const found = planning.refused.find((one) => one.method === method && one.strategy === strategy);
    return found === undefined ? '' : translate('en', found.why);
  };

  it('refuses DDP and DataParallel of the whole model with the arithmetic', () => {
    expect(whyNot('full', 'ddp')).toBe(
      'DDP keeps a full copy on every card: 13B parameters take 48.5 GiB as weights, 48.5 GiB as gradients and 97.0 GiB in the optimizer, 194.0 GiB before any activation; the smallest card has 24.0 GiB, of which CUDA and NCCL take 500 MiB. More cards do not help.',
    );
    expect(whyNot('full', 'ddp-bucket-view')).toBe(whyNot('full', 'ddp'));
    expect(whyNot('full', 'dp')).toContain('48.5 GiB + 48.5 GiB + 97.0 GiB = 194.0 GiB');
  });

  it('refuses offloading that the machine has no memory for', () => {
    expect(planning.plans.filter(({ method, offload }) => method === 'full' && offload !== 'none')).toEqual(
      [],
    );
  });

  it('refuses LoRA with the bf16 model on every card: not one sample fits', () => {
    expect(whyNot('lora', 'ddp-bucket-view')).toContain('24.5 GiB as weights');
    expect(
      planning.plans.some(({ method, strategy }) => method === 'lora' && strategy.startsWith('ddp')),
    ).toBe(false);
  });

  it('offers sharded LoRA and QLoRA, marked as another training', () => {
    const offered = planning.plans.filter(({ verdict }) => verdict === 'fits');
    expect(offered.map(({ method, strategy }) => `${method} ${strategy}`)).toEqual(
      expect.arrayContaining(['lora fsdp-full', 'qlora ddp-bucket-view']),
    );
    expect(
      planning.plans.every(({ changesTraining, method }) => changesTraining === (method !== 'full')),
    ).toBe(true);
    expect(Math.min(...offered.map(({ relativeStepTime }) => relativeStepTime))).toBe(1);
  });
});

describe('the largest micro-batch of LoRA in bf16, rank 16 on all linear layers, with checkpointing', () => {
  const lora = { ...story, method: 'lora', precision: 'bf16', checkpointing: 'full', strategy: 'single' };
  const oneCard = cardsOf(24_564);
  const largest = (model: string): unknown => {
    const { request } = questionOf(catalogued(model), oneCard, { ...lora, card: 'H200', cardMib: [24_564] });
    const answer = estimate(catalogued(model), request);
    return answer.kind === 'estimate' ? answer.estimate.maxMicroBatch : answer.reason;
  };

  it('is 0 for 13B and 15 for 7B, as measured', () => {
    expect(largest('llama-2-13b')).toBe(0);
    expect(largest('llama-2-7b')).toBe(15);
  });

  it('is 16 for 7B in a plan, which lets segments grow', () => {
    const question = questionOf(catalogued('llama-2-7b'), oneCard, { ...lora, card: 'H200' });
    const answer = ask(question, 'largest-batch');
    expect(answer.answer).toBe(16);
    expect(answer.plan?.microBatch).toBe(16);
    const none = ask(
      questionOf(catalogued('llama-2-13b'), oneCard, { ...lora, card: 'H200' }),
      'largest-batch',
    );
    expect([none.answer, none.plan]).toEqual([null, null]);
    expect(translate('en', none.why)).toContain('24.0 GiB');
  });
});
