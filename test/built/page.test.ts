import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { distFolder } from '../../build/tools/paths.mjs';
import { readArtefact, readArtefacts } from './artefacts';

const page = readArtefact('renderer/index.html');
const pageFiles = readArtefacts().filter(({ name }) => name.startsWith('renderer/'));
const scripts = pageFiles.filter(({ name }) => name.endsWith('.js'));

test('the page carries the content security policy, which allows its own files only', () => {
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
  const directives = policy.replaceAll('&#39;', "'").split('; ');

  expect(directives).toContain("default-src 'none'");
  expect(directives).toContain("script-src 'self'");
  expect(directives).toContain("style-src 'self'");
  expect(directives).toContain("font-src 'self'");
  expect(policy).not.toMatch(/unsafe-|\*|https?:/);
});

test('the page has no script or style of its own text, which the policy would refuse', () => {
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
  expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=/);
});

test('the page names no file of another place', () => {
  const references = [...page.matchAll(/\b(?:src|href)="([^"]*)"/g)].map((match) => match[1] ?? '');
  expect(references.length).toBeGreaterThan(0);
  for (const reference of references) expect(reference).toMatch(/^\.\/assets\//);
});

test('zod stays out of the page: its compiler is refused by the policy, and main checks everything anyway', () => {
  expect(scripts.length).toBeGreaterThan(0);
  for (const { name, text } of scripts) expect(text, name).not.toMatch(/ZodError|_zod\b|\$ZodType/);
});

// `x.eval()` in a text and `eval(?:` in a pattern are no calls of the function.
test('no script of the page makes code from text', () => {
  for (const { name, text } of scripts)
    expect(text, name).not.toMatch(/(?<![.\w])eval\s*\((?!\?)|\bnew Function\s*\(|[^.\w]Function\s*\(/);
});

test('one font comes along, the Latin part alone, with its licence', () => {
  const fonts = readdirSync(path.join(distFolder, 'renderer/assets')).filter((name) =>
    name.endsWith('.woff2'),
  );
  expect(fonts).toEqual([expect.stringMatching(/^inter-latin-wght-normal-/)]);
  expect(readArtefact('THIRD-PARTY.txt')).toMatch(
    /@fontsource-variable\/inter [\d.]+ \(OFL-1\.1\)[^]*SIL OPEN FONT LICENSE Version 1\.1/,
  );
});

// A class that only the reader of models knows: one import of a function beside it would bring all of it along.
test('models are read in workers: the page itself holds nothing of the reader', () => {
  const isWorker = ({ name }: { readonly name: string }): boolean => /worker/i.test(name);
  const readers = scripts.filter(({ text }) => text.includes('DebertaV2'));
  expect(readers.map(isWorker)).toEqual([true]);
});
