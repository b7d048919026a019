import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeEntries } from '../../build/entries.mjs';
import { root } from '../../build/tools/paths.mjs';
import { readArtefact, requiredModules } from './artefacts';

const programs = nodeEntries.map((entry) => `${path.basename(entry, '.ts')}.cjs`);

/** systeminformation tries to load these on macOS, and does without them. */
const optionalModules = ['macos-temperature-sensor', 'osx-temperature-sensor'];
const nodeModules = builtinModules.flatMap((name) => [name, `node:${name}`]);
const known = new Set(['electron', ...nodeModules, ...optionalModules]);

describe.each(programs)('%s', (program) => {
  test('is one CommonJS file that loads nothing but Node and Electron', () => {
    const text = readArtefact(program);

    expect(requiredModules(text).filter((name) => !known.has(name))).toEqual([]);
    expect(text).not.toMatch(/^\s*(import|export)\s[^(]/m);
    expect(text).not.toMatch(/\brequire\(\s*[^"'`\s)]/); // A computed name is not found in the packaged app.
  });
});

test('the preload loads electron only, as the sandbox allows no more', () => {
  expect(requiredModules(readArtefact('preload.cjs'))).toEqual(['electron']);
});

test('the programs that run as plain Node do not load electron', () => {
  for (const program of ['cli.cjs', 'nvidiaSmi.cjs']) {
    expect(requiredModules(readArtefact(program)), program).not.toContain('electron');
  }
});

test("the release has no copy of the npm package's Electron installer", () => {
  for (const program of programs)
    expect(readArtefact(program), program).not.toContain('ELECTRON_OVERRIDE_DIST_PATH');
});

test('no program has what answers a dialog or clicks a notification in place of a person', () => {
  for (const program of programs)
    expect(readArtefact(program), program).not.toMatch(
      /ScriptedDialogs|answerNext|headroomDialogs|headroomDesktopPorts|clickNotice/,
    );
});

test('no program hands an address to a browser', () => {
  for (const program of programs) expect(readArtefact(program), program).not.toContain('openExternal');
});

test('package.json names the main program that is built', () => {
  const { main } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  expect(existsSync(path.join(root, main))).toBe(true);
});
