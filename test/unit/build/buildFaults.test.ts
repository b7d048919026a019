import { expect, test } from 'vitest';
import { describeFaults } from '../../../build/buildFaults.mjs';

const failedWith = (...errors: readonly unknown[]): Error => Object.assign(new Error('failed'), { errors });

test('a fault that esbuild found', () => {
  const fault = { text: 'Could not resolve "./gone"', location: { file: 'electron/main.ts', line: 3 } };
  expect(describeFaults(failedWith(fault))).toEqual(['electron/main.ts:3: Could not resolve "./gone"']);
});

test('a fault that vite found, with a drawn frame in colours', () => {
  const message =
    '\u001b[31m[MISSING_EXPORT] \u001b[0m"x" is not exported by "n.ts".\n   \u001b[38;5;246m[\u001b[0m renderer/m.ts:1:9 \u001b[38;5;246m]\u001b[0m\n';
  expect(describeFaults(failedWith({ message }))).toEqual([
    'renderer/m.ts:1: [MISSING_EXPORT] "x" is not exported by "n.ts".',
  ]);
});

test('a fault without a place', () => {
  expect(describeFaults(failedWith({ message: 'no input' }))).toEqual(['no input']);
});

test('a failure that is none of the sources', () => {
  expect(describeFaults(failedWith())).toBeNull();
  expect(describeFaults(new Error('out of memory'))).toBeNull();
});
