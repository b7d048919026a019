import { expect, it } from 'vitest';
import { dateFormat, numberFormat } from '../../../shared/formats';

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
