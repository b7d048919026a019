import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';

const root = new URL('..', import.meta.url).pathname;

/** Three kinds of tests: pure and Node code, Svelte components in jsdom, and the real app in Electron. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { root, test: { name: 'unit', environment: 'node', include: ['test/unit/**/*.test.ts'] } },
      {
        root,
        plugins: [svelte({ configFile: false }), svelteTesting()],
        test: { name: 'component', environment: 'jsdom', include: ['test/component/**/*.test.ts'] },
      },
      {
        root,
        test: {
          name: 'e2e',
          environment: 'node',
          include: ['test/e2e/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
