import { describe, expect, it } from 'vitest';
import { growthsOf } from '../../../../steps/inChild';

/** The child counts every step of hundreds of readings. */
const patience = 900_000;
/** Twice the text takes twice the steps; sorting and trees add a little. */
const mostGrowth = 2.6;

describe('inspect', () => {
  it(
    'takes at most about twice the steps for twice the text, whatever is repeated in it',
    async () => {
      const growths = await growthsOf('inspectSteps.ts');
      expect(growths.length).toBeGreaterThan(250);
      expect(growths.filter(({ growth, fault }) => fault !== null || growth > mostGrowth)).toEqual([]);
    },
    patience,
  );
});
