import { expect, test } from 'vitest';
import { formatTable } from '../../../build/table.mjs';

test('columns are as wide as their longest cell', () => {
  const table = formatTable([
    ['', 'measured', 'aim'],
    ['first paint', '1.3x', ''],
  ]);
  expect(table).toBe('               measured  aim\n  first paint  1.3x\n');
});
