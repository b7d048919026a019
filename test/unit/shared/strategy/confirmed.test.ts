import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EstimateRequest } from '../../../../shared/memory/configuration';
import { estimate } from '../../../../shared/memory/estimate';
import { largestMicroBatches } from '../../../../shared/memory/largestOnCards';
import type { Architecture } from '../../../../shared/model/architecture';
import { ask } from '../../../../shared/strategy/ask';
import { fewestMicroBatches, globalBatchOf, ranksOf } from '../../../../shared/strategy/batch';
import { candidatesOf } from '../../../../shared/strategy/enumerate';
import { plan } from '../../../../shared/strategy/plan';
import { settingsAgainst } from '../../../../shared/strategy/settingsAgainst';
import type { PlanCard, PlanQuestion } from '../../../../shared/strategy/types';
import { GiB, MiB } from '../../../../shared/units';
import { architectureOf, cardsOf, questionOf, smallLlama } from './questions';

const smallGpt2 = (hidden: number, layers: number, vocabulary: number): Architecture =>
  architectureOf({
    model_type: 'gpt2',
    architectures: ['GPT2LMHeadModel'],
    n_embd: hidden,
    n_layer: layers,
    n_head: hidden / 64,
    n_positions: 1024,
    vocab_size: vocabulary,
  });

const models = fc
  .record({
    make: fc.constantFrom(smallLlama, smallGpt2),
    hidden: fc.constantFrom(128, 256, 512),
    layers: fc.integer({ min: 1, max: 6 }),
    vocabulary: fc.constantFrom(500, 2000, 8000),
  })
  .map(({ hidden, layers, make, vocabulary }) => make(hidden, layers, vocabulary));

/** One to three cards of any size, of which others may hold a part. */
const cards = fc
  .array(fc.record({ mib: fc.integer({ min: 500, max: 3000 }), held: fc.constantFrom(0, 0, 0.3) }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((sizes): readonly PlanCard[] =>
    sizes.map(({ held, mib }, index) => ({
      index,
      totalBytes: mib * MiB,
      freeBytes: Math.round(mib * (1 - held)) * MiB,
    })),
  );

const strategies = ['auto', 'single', 'dp', 'ddp', 'fsdp-full', 'zero2', 'tensor', 'pipeline'] as const;

const questions = fc
  .record({
    model: models,
    cards,
    seq: fc.constantFrom(64, 200, 512),
    batch: fc.integer({ min: 1, max: 16 }),
    method: fc.constantFrom('full', 'full', 'lora'),
    strategy: fc.constantFrom(...strategies),
    card: fc.constantFrom('RTX 3090', 'H200', 'T4'),
    contextMib: fc.constantFrom(200, 400),
  })
  .map(({ batch, cards: set, model, strategy, ...wishes }): PlanQuestion => {
    const wished = strategy === 'auto' ? wishes : { ...wishes, strategy };
    return questionOf(model, set, wished, { globalBatch: batch, hostBytes: 8 * GiB });
  });

describe('a plan that fits', () => {
  it('is confirmed by the whole estimate, with every micro-batch, on each of its cards', () => {
    fc.assert(
      fc.property(questions, (question) => {
        for (const { cardIndices, hostBytes, request, verdict } of plan(question).plans) {
          const { accumulation, microBatch } = request.training;
          expect(microBatch * accumulation * ranksOf(request)).toBe(globalBatchOf(question));
          expect(new Set(cardIndices).size).toBe(request.world);
          expect(hostBytes).toBeLessThanOrEqual(8 * GiB);
          const answer = estimate(question.architecture, request, false);
          if (answer.kind === 'refused') throw new Error(answer.reason.key);
          const seen = answer.estimate.cards.map((card, rank) => ({
            strategy: request.strategy,
            free: card.cardBytes === question.cards[cardIndices[rank] ?? -1]?.freeBytes,
            verdict: card.verdict === 'no' ? 'no' : verdict === 'tight' ? 'tight' : card.verdict,
          }));
          expect(seen).toEqual(seen.map(() => ({ strategy: request.strategy, free: true, verdict })));
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('what is asked back', () => {
  const sets = fc.record({
    model: models,
    count: fc.integer({ min: 1, max: 2 }),
    strategy: fc.constantFrom('auto', 'ddp', 'fsdp-full', 'pipeline', 'tensor'),
    checkpointing: fc.constantFrom('auto', 'none', 'full'),
    card: fc.constantFrom('RTX 3090', 'H200'),
  });
  type Asked = typeof sets extends fc.Arbitrary<infer Value> ? Value : never;

  function questionFor({ card, checkpointing, count, model, strategy }: Asked, mib: number, seq: number) {
    return questionOf(model, cardsOf(...Array<number>(count).fill(mib)), {
      card,
      seq,
      offload: 'none',
      contextMib: 300,
      ...(strategy === 'auto' || count === 1 ? {} : { strategy }),
      ...(checkpointing === 'auto' ? {} : { checkpointing }),
    });
  }

  /** Every way to train what was asked, one sample at a time. */
  function everyWay(question: PlanQuestion): readonly EstimateRequest[] {
    return [...candidatesOf(question, 'asked')].flatMap(({ request }) => {
      const training = { ...request.training, microBatch: 1, accumulation: fewestMicroBatches(request) };
      const way = { ...request, training };
      return settingsAgainst(question.architecture, way) === null ? [way] : [];
    });
  }

  const fits = (question: PlanQuestion): boolean =>
    everyWay(question).some((way) => {
      const answer = estimate(question.architecture, way, false);
      return answer.kind === 'estimate' && answer.estimate.cards.every(({ verdict }) => verdict === 'fits');
    });

  it('smallest-card: so much memory is enough for some way to train, and a MiB less is for none', () => {
    fc.assert(
      fc.property(sets, (one) => {
        const question = questionFor(one, 1000, 256);
        const { answer, plan: found } = ask(question, 'smallest-card');
        // GPT-2 has no plan for dividing its layers, and one layer makes no two stages.
        if (answer === null) {
          expect(everyWay(question)).toEqual([]);
          return;
        }
        expect(found?.verdict).toBe('fits');
        const mib = Number(answer) / MiB;
        expect([fits(questionFor(one, mib, 256)), fits(questionFor(one, mib - 1, 256))]).toEqual([
          true,
          false,
        ]);
      }),
      { numRuns: 15 },
    );
  });

  it('longest-seq: so many tokens fit some way, and a step of 64 more fit none', () => {
    fc.assert(
      fc.property(sets, fc.integer({ min: 600, max: 1200 }), (one, mib) => {
        const { answer, why } = ask(questionFor(one, mib, 256), 'longest-seq');
        if (answer === null) expect(fits(questionFor(one, mib, 64))).toBe(false);
        else expect(fits(questionFor(one, mib, Number(answer)))).toBe(true);
        if (why.key === 'strategy.longestSequence')
          expect(fits(questionFor(one, mib, Number(answer) + 64))).toBe(false);
      }),
      { numRuns: 10 },
    );
  });

  it('largest-batch: a training can begin with so many samples, and no way to train can with more', () => {
    fc.assert(
      fc.property(sets, fc.integer({ min: 600, max: 1200 }), (one, mib) => {
        const question = questionFor(one, mib, 256);
        const { answer } = ask(question, 'largest-batch');
        const total = Number(answer ?? 0);
        const completes = (way: EstimateRequest, microBatch: number): boolean => {
          const asked = { ...way, training: { ...way.training, microBatch } };
          const found = estimate(question.architecture, asked, false);
          return found.kind === 'estimate' && found.estimate.cards.every(({ verdict }) => verdict !== 'no');
        };
        const ways = everyWay(question);
        if (total > 0)
          expect(ways.some((way) => total % ranksOf(way) === 0 && completes(way, total / ranksOf(way)))).toBe(
            true,
          );
        for (const way of ways) {
          const { atStart } = largestMicroBatches(question.architecture, way) ?? { atStart: 0 };
          if (atStart * ranksOf(way) > total) expect(completes(way, atStart)).toBe(false);
        }
      }),
      { numRuns: 10 },
    );
  });
});
