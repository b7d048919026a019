import { runnerImport } from 'vite';
import { root } from './tools/paths.mjs';

/**
 * Loads a TypeScript file of the project, and what it imports, without writing anything.
 *
 * @param {string} file absolute
 * @returns {Promise<Record<string, unknown>>} what it exports
 */
export async function importTypeScript(file) {
  const { module } = await runnerImport(file, { configFile: false, root, logLevel: 'error' });
  return /** @type {Record<string, unknown>} */ (module);
}
