import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';
import { root } from './tools/paths.mjs';

/** No test takes near as long by itself; a machine that is busy with other work must not fail any. */
const patience = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } };

/** The kinds of tests, each with what it runs in. `npm test` runs them all, in the order of build/test.mjs. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    allowOnly: false,
    projects: [
      {
        root,
        test: { name: 'unit', environment: 'node', include: ['test/unit/**/*.test.ts'], ...patience },
      },
      {
        root,
        plugins: [svelte({ configFile: false }), svelteTesting()],
        test: {
          name: 'component',
          environment: 'jsdom',
          include: ['test/component/**/*.test.ts'],
          ...patience,
        },
      },
      {
        root,
        test: {
          name: 'accuracy',
          environment: 'node',
          include: ['test/accuracy/**/*.test.ts'],
          ...patience,
        },
      },
      {
        root,
        test: {
          name: 'built',
          environment: 'node',
          include: ['test/built/**/*.test.ts'],
          globalSetup: ['test/built/globalSetup.ts'],
          ...patience,
        },
      },
      {
        root,
        test: {
          name: 'packed',
          environment: 'node',
          include: ['test/packed/**/*.test.ts'],
          ...patience,
        },
      },
      {
        root,
        test: {
          name: 'e2e',
          environment: 'node',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/e2e/harness/globalSetup.ts'],
          ...patience,
        },
      },
    ],
  },
});
