import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import * as esbuild from 'esbuild';
import * as vite from 'vite';
import { describeFaults } from './buildFaults.mjs';
import { contentPolicyInPage } from './contentPolicy.mjs';
import { nodeEntries, pageEntry, targets } from './entries.mjs';
import { hashInputs } from './inputs.mjs';
import { BundledPackages } from './notices.mjs';
import { Failure, runScript } from './tools/failure.mjs';
import { cacheFolder, distFolder, root, testAppFolder } from './tools/paths.mjs';
import { say } from './tools/say.mjs';

/** What the window shows in a task bar; the packages bring the other sizes. */
const windowIcon = path.join(root, 'build/icons/256x256.png');

/**
 * Builds the app into dist/, which is replaced in one step: a running app or test never sees half of it.
 *
 * @throws {Failure} with file and line of each fault in the sources
 */
export async function bundle() {
  const startedAt = Date.now();
  const inputs = hashInputs();
  requireEntries();
  await replaceFolder(distFolder, async (work) => {
    const packages = new BundledPackages();
    const { metafile } = await esbuild.build({ ...nodeOptions(work, false), metafile: true });
    for (const file of Object.keys(metafile.inputs)) packages.add(file);
    await vite.build(pageOptions(path.join(work, 'renderer'), packages));
    writeFileSync(path.join(work, 'THIRD-PARTY.txt'), packages.notices());
    cpSync(windowIcon, path.join(work, 'icon.png'));
    writeBuildFile(work, inputs);
  });
  say(`built dist/ in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** Makes of dist/ the variant that end-to-end tests start: the same page, and dialogs that a test can answer. */
export async function bundleForTests() {
  await replaceFolder(testAppFolder, async (work) => {
    cpSync(path.join(root, 'package.json'), path.join(work, 'package.json'));
    cpSync(distFolder, path.join(work, 'dist'), { recursive: true });
    await esbuild.build(nodeOptions(path.join(work, 'dist'), true));
  });
}

/**
 * @param {string} outdir
 * @param {boolean} forTests read by electron/desktop/ports/openDialogs.ts
 * @returns {import('esbuild').BuildOptions}
 */
export function nodeOptions(outdir, forTests) {
  return {
    absWorkingDir: root,
    entryPoints: nodeEntries.map((entry) => ({ in: entry, out: path.basename(entry, '.ts') })),
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: targets.node,
    external: ['electron'],
    define: { HEADROOM_TEST_BUILD: String(forTests) },
    minifySyntax: true, // Drops what a constant makes unreachable; names and lines stay for stack traces.
    sourcemap: false,
    legalComments: 'none',
    logLevel: 'silent', // Failures are thrown, and shown by us.
  };
}

/**
 * @param {string} outDir
 * @param {BundledPackages} packages is told what goes in
 * @returns {import('vite').InlineConfig}
 */
export function pageOptions(outDir, packages = new BundledPackages()) {
  return {
    configFile: false,
    root: path.join(root, path.dirname(pageEntry)),
    base: './',
    logLevel: 'warn',
    plugins: [svelte({ configFile: false }), contentPolicyInPage(), packages.vitePlugin()],
    worker: { plugins: () => [packages.vitePlugin()] },
    build: {
      outDir,
      emptyOutDir: true,
      target: targets.page,
      cssTarget: targets.page,
      sourcemap: false,
      assetsInlineLimit: 0, // The content security policy allows no data: fonts or scripts.
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 2_000, // Files come from the disk; the planner's worker holds the engine.
      rolldownOptions: {
        checks: { pluginTimings: false }, // Svelte's compiler is most of the time; no news.
        // shared/ is pure: a module there does nothing but make what it exports, so an unused one is left out. Without
        // this the page would carry the declarations of all families for the sake of a name from a file beside them.
        treeshake: { moduleSideEffects: (id) => !id.startsWith(path.join(root, 'shared') + path.sep) },
      },
    },
  };
}

/** @throws {Failure} */
export function requireEntries() {
  const missing = [...nodeEntries, pageEntry].filter((entry) => !existsSync(path.join(root, entry)));
  if (missing.length > 0)
    throw new Failure(`cannot build: missing ${missing.join(', ')} (listed in build/entries.mjs).`);
}

/**
 * @param {string} folder
 * @param {(work: string) => Promise<void>} fill writes the new contents to a temporary folder
 */
async function replaceFolder(folder, fill) {
  mkdirSync(cacheFolder, { recursive: true });
  const work = mkdtempSync(path.join(cacheFolder, 'build-'));
  try {
    await fill(work);
    chmodSync(work, 0o755); // A temporary folder is for its owner only.
    const old = `${work}-old`;
    if (existsSync(folder)) renameSync(folder, old);
    renameSync(work, folder);
    rmSync(old, { recursive: true, force: true });
  } catch (error) {
    const faults = describeFaults(error);
    throw faults === null ? error : new Failure(['the build failed:', ...faults].join('\n  '));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {string} inputs
 */
function writeBuildFile(folder, inputs) {
  writeFileSync(path.join(folder, 'build.json'), `${JSON.stringify({ inputs })}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await runScript(bundle);
