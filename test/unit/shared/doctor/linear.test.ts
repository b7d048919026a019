import { describe, expect, it } from 'vitest';
import { growthsOf } from '../../../steps/inChild';

/** The child counts every step of some readings. */
const patience = 120_000;
/** Twice the text takes twice the steps; sorting and trees add a little. */
const mostGrowth = 2.6;

describe('the doctor', () => {
  it(
    'takes at most about twice the steps for twice the text, whatever is repeated in it',
    async () => {
      const growths = await growthsOf('doctorSteps.ts');
      expect(growths.length).toBe(16);
      expect(growths.filter(({ growth, fault }) => fault !== null || growth > mostGrowth)).toEqual([]);
    },
    patience,
  );
});
