import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dateFormat, numberFormat } from '../../../shared/formats';
import { formatNumber } from '../../../shared/units';

it('makes a formatter once for each locale and options', () => {
  const whole = { maximumFractionDigits: 0 };
  expect(numberFormat('en', whole)).toBe(numberFormat('en', { maximumFractionDigits: 0 }));
  expect(numberFormat('en', whole).format(1234.5)).toBe('1,235');
  expect(numberFormat('en', { maximumFractionDigits: 1 }).format(1234.5)).toBe('1,234.5');
  expect(numberFormat('de', whole).format(1234.5)).toBe('1.235');
});

it('keeps moments apart from numbers', () => {
  const options = { year: 'numeric', timeZone: 'UTC' } as const;
  expect(dateFormat('en', options)).toBe(dateFormat('en', options));
  expect(dateFormat('en', options).format(0)).toBe('1970');
});

it('writes a number below a thousand as a formatter would', () => {
  const value = fc.oneof(
    fc.double({ min: -2_000, max: 2_000, noNaN: true }),
    fc.integer({ min: -2_000, max: 2_000 }),
    fc.integer({ min: -20_000, max: 20_000 }).map((hundredths) => hundredths / 200),
  );
  fc.assert(
    fc.property(value, fc.constantFrom('en', 'zh-CN'), (number, locale) => {
      const decimals = Number.isInteger(number) ? 0 : Math.abs(number) < 10 ? 2 : 1;
      const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
      expect(formatNumber(number, locale)).toBe(new Intl.NumberFormat(locale, options).format(number));
    }),
    { numRuns: 2000 },
  );
});
