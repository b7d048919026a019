import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';
import { root } from './tools/paths.mjs';

/** No test takes near as long by itself; a machine that is busy with other work must not fail any. */
const busyMs = 60_000;

/** The kinds of tests, each with what it runs in. `npm test` runs them all, in the order of build/test.mjs. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    allowOnly: false,
    projects: [
      {
        root,
        test: { name: 'unit', environment: 'node', include: ['test/unit/**/*.test.ts'], testTimeout: busyMs },
      },
      {
        root,
        plugins: [svelte({ configFile: false }), svelteTesting()],
        test: {
          name: 'component',
          environment: 'jsdom',
          include: ['test/component/**/*.test.ts'],
          testTimeout: busyMs,
        },
      },
      {
        root,
        test: {
          name: 'accuracy',
          environment: 'node',
          include: ['test/accuracy/**/*.test.ts'],
          testTimeout: 120_000,
        },
      },
      {
        root,
        test: {
          name: 'built',
          environment: 'node',
          include: ['test/built/**/*.test.ts'],
          globalSetup: ['test/built/globalSetup.ts'],
          testTimeout: busyMs,
        },
      },
      {
        root,
        test: {
          name: 'packed',
          environment: 'node',
          include: ['test/packed/**/*.test.ts'],
          testTimeout: busyMs,
        },
      },
      {
        root,
        test: {
          name: 'e2e',
          environment: 'node',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/e2e/harness/globalSetup.ts'],
          // One app at a time: two would compete for two cores, and timing is part of what is tested.
          fileParallelism: false,
          testTimeout: busyMs,
          hookTimeout: busyMs,
          // What happens at once is seen at once; this is for a busy machine.
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
});
