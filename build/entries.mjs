/**
 * Every program of the app that runs in Node or in a preload. Each becomes one CommonJS file in dist/, named after
 * its source: Electron 25 loads no ES modules in the main process, and a sandboxed preload never does.
 */
export const nodeEntries = [
  'electron/main.ts',
  'electron/preload.ts',
  'electron/cli.ts',
  'electron/sensing/samplerProcess.ts',
  'electron/simulation/nvidiaSmi.ts',
];

/** The page, with everything it loads. */
export const pageEntry = 'renderer/index.html';

/** The oldest engines the app runs on: Electron 25 has Node 18.15 and Chrome 114. */
export const targets = { node: 'node18.15', page: 'chrome114' };
