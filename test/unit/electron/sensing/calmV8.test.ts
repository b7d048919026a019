import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { hasInterruptBudget } from '../../../../electron/sensing/calmV8';

test('a flag is set only where V8 knows it', () => {
  expect(
    ['10.2.154.26-node.36', '11.3.244.8-node.38', '11.4.183.19-electron.0', '14.2.231.9-electron.0'].map(
      hasInterruptBudget,
    ),
  ).toEqual([true, true, false, false]);
});

test('this V8 knows it where that is said', () => {
  const { stdout } = spawnSync(process.execPath, ['--v8-options'], { encoding: 'utf8', timeout: 30_000 });
  expect(/^\s*--interrupt-budget \(/m.test(stdout)).toBe(hasInterruptBudget(process.versions.v8));
});
