import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { distFolder } from '../../build/tools/paths.mjs';

/** A file of dist/, with its path inside dist/ and its text. */
export interface Artefact {
  readonly name: string;
  readonly text: string;
}

const textFiles = /\.(cjs|js|css|html|json|svg)$/;

/** Every text file of dist/. */
export function readArtefacts(): readonly Artefact[] {
  return readdirSync(distFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => textFiles.test(name))
    .map((name) => ({
      name: name.split(path.sep).join('/'),
      text: readFileSync(path.join(distFolder, name), 'utf8'),
    }));
}

/** One file of dist/ by its name. */
export function readArtefact(name: string): string {
  return readFileSync(path.join(distFolder, name), 'utf8');
}

/** The modules that a CommonJS file loads, each once. */
export function requiredModules(text: string): readonly string[] {
  const names = [...text.matchAll(/\brequire\(\s*["'`]([^"'`]+)["'`]\s*\)/g)].map((match) => match[1] ?? '');
  return [...new Set(names)].sort();
}
