import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closest } from '../../../shared/closest';

test.each([
  ['inspct', 'inspect'],
  ['ispnect', 'inspect'],
  ['insp', 'inspect'],
  ['INSPECT', 'inspect'],
  ['wacth', 'watch'],
  ['estimte', 'estimate'],
  ['zzzz', null],
  ['', null],
  ['x'.repeat(100), null],
])('%s -> %s', (text, expected) => {
  expect(closest(text, ['inspect', 'watch', 'estimate', 'model'])).toBe(expected);
});

test('a known name is nearest to itself, and a text with no letter in common is near to none', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[a-m]{3,12}$/), { minLength: 1, maxLength: 8 }),
      (names) => {
        for (const name of names) expect(closest(name, names)).not.toBeNull();
        expect(closest('zzz', names)).toBeNull();
      },
    ),
  );
});
