import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './tools/paths.mjs';

const nodeModules = path.join(root, 'node_modules');

/**
 * Remembers the packages whose code goes into a bundle, so that their licences can go along, as they ask for.
 */
export class BundledPackages {
  /** @type {Set<string>} folders */
  #folders = new Set();

  /** @param {string} file a module that was bundled, with an absolute path or one from the checkout's root */
  add(file) {
    const from = path.relative(
      nodeModules,
      path.resolve(root, file.replace(/^\0/, '').split('?', 1).join('')),
    );
    if (from.startsWith('..') || path.isAbsolute(from)) return;
    const parts = from.split(path.sep);
    this.#folders.add(path.join(...parts.slice(0, parts[0]?.startsWith('@') ? 2 : 1)));
  }

  /**
   * A plugin for the page's bundler, which is asked for workers apart. What a stylesheet names, such as a font, is no
   * module; the bundle lists it with the file that it was copied from, relative to the page's folder.
   *
   * @returns {import('vite').Plugin}
   */
  vitePlugin() {
    let pageFolder = root;
    return {
      name: 'bundled-packages',
      configResolved: (config) => void (pageFolder = config.root),
      moduleParsed: ({ id }) => this.add(id),
      generateBundle: (_options, bundle) => {
        for (const output of Object.values(bundle)) {
          if (output.type !== 'asset') continue;
          for (const file of output.originalFileNames) this.add(path.resolve(pageFolder, file));
        }
      },
    };
  }

  /** @returns {string} name, version and licence of every package */
  notices() {
    const intro =
      'Headroom contains code of the packages below. Their licences ask for these texts to go along.';
    return [intro, ...[...this.#folders].sort().map(noticeOf)].join(`\n\n${'-'.repeat(80)}\n\n`).concat('\n');
  }
}

/** @param {string} name */
function noticeOf(name) {
  const folder = path.join(nodeModules, name);
  const { version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = existsSync(folder)
    ? readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    : undefined;
  const text = file === undefined ? '' : `\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}`;
  return `${name} ${version} (${license})${text}`;
}
