import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('V8 knows the flag that calmV8 sets', () => {
  const { stdout } = spawnSync(process.execPath, ['--v8-options'], { encoding: 'utf8', timeout: 30_000 });
  expect(stdout).toMatch(/^\s*--memory-reducer \(/m);
});
