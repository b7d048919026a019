import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { distFolder, root, testAppFolder } from './tools/paths.mjs';

/** Everything that can change what is built. Contents are compared, because git sets every file's time anew. */
const inputs = [
  'electron',
  'renderer',
  'shared',
  'build/bundle.mjs',
  'build/contentPolicy.mjs',
  'build/entries.mjs',
  'build/icons/256x256.png',
  'build/notices.mjs',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
];

/** @returns {string} changes whenever an input does */
export function hashInputs() {
  const hash = createHash('sha256');
  for (const input of inputs) {
    for (const file of filesBelow(path.join(root, input))) {
      hash.update(path.relative(root, file));
      hash.update(readFileSync(file));
    }
  }
  return hash.digest('hex');
}

/**
 * Builds the app when dist/ is missing or older than its sources. Needs node_modules.
 *
 * @throws {import('./tools/failure.mjs').Failure} when the build fails
 */
export async function ensureBuilt() {
  if (builtFrom(distFolder) === hashInputs()) return;
  // Loaded here, because the tools it needs are there only after the dependencies were installed.
  const { bundle } = await import('./bundle.mjs');
  await bundle();
}

/** Builds the app and its variant for end-to-end tests, where they are missing or older than their sources. */
export async function ensureBuiltForTests() {
  await ensureBuilt();
  if (builtFrom(path.join(testAppFolder, 'dist')) === builtFrom(distFolder)) return;
  const { bundleForTests } = await import('./bundle.mjs');
  await bundleForTests();
}

/**
 * @param {string} dist
 * @returns {string | null}
 */
function builtFrom(dist) {
  try {
    return JSON.parse(readFileSync(path.join(dist, 'build.json'), 'utf8')).inputs;
  } catch {
    return null; // Missing or damaged: build.
  }
}

/**
 * @param {string} place a file or a folder
 * @returns {string[]} sorted
 */
function filesBelow(place) {
  if (!existsSync(place)) return [];
  const found = readdirSyncOrFile(place);
  if (found === null) return [place];
  return found.flatMap((name) => filesBelow(path.join(place, name)));
}

/** @param {string} place */
function readdirSyncOrFile(place) {
  try {
    return readdirSync(place).sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return null;
    throw error;
  }
}
