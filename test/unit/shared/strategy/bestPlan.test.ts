import { describe, expect, it } from 'vitest';
import { plan } from '../../../../shared/strategy/plan';
import { options, secondsOf } from './bruteForce';
import { cardsOf, questionOf, smallLlama } from './questions';

const models = {
  wide: smallLlama(1024, 4, 2048),
  deep: smallLlama(512, 10, 1024),
  wordy: smallLlama(256, 4, 32_000),
};
const wishes = {
  seq: 512,
  contextMib: 300,
  card: 'RTX 3090',
  precision: 'amp-bf16',
  optimizer: 'adamw-fused',
};

/** Both formulas leave out different small things; what is sure about them is the quarter that `stepTime.test.ts` shows. */
const RESOLUTION = 1.25;

/** Cards from ample to hopeless, one to four of them, alike and mixed. */
const sets: readonly (readonly number[])[] = [
  [8000],
  [1300],
  [900],
  [8000, 8000],
  [1500, 1500],
  [1000, 1000],
  [700, 700],
  [3000, 1200],
  [1200, 1200, 1200, 1200],
  [800, 800, 800, 800],
];
const cases = Object.entries(models).flatMap(([name, model]) => sets.map((mib) => ({ name, model, mib })));

describe('the best plan', () => {
  it.each(cases)('for $name on $mib MiB is the one that trying everything finds', ({ model, mib }) => {
    const batch = 2 * mib.length;
    const question = questionOf(model, cardsOf(...mib), wishes, { globalBatch: batch });
    const fitting = options(question, batch).filter(({ fits }) => fits);
    const [best] = plan(question).plans.filter(({ changesTraining }) => !changesTraining);
    const fastest = Math.min(...fitting.map(({ seconds }) => seconds));
    if (fitting.length === 0) {
      // Nothing fits surely: whatever is offered is marked as tight.
      expect(best?.verdict ?? 'tight').toBe('tight');
      return;
    }
    expect(best?.verdict).toBe('fits');
    if (best === undefined) return;
    // What it chose is among what fits, and nothing that fits is faster by more than either formula can tell.
    const chosen = fitting.find(
      ({ request }) =>
        request.strategy === best.strategy &&
        request.offload === best.offload &&
        request.world === best.world &&
        request.training.checkpointing.kind === best.checkpointing.kind &&
        request.training.microBatch === best.microBatch,
    );
    expect(chosen).toBeDefined();
    expect(secondsOf(question, best.request) / fastest).toBeLessThanOrEqual(RESOLUTION);
  });
});
