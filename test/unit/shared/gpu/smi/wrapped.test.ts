import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSaved } from '../../../../../shared/gpu/smi/saved';

const folder = path.resolve(import.meta.dirname, '../../../../fixtures/smi');
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== 'expected.jsonl' && !entry.name.endsWith('.md'))
  .map(({ name }) => name);

const eachLine =
  (before: string) =>
  (text: string): string =>
    text.replace(/^/gm, before);
const lines = (text: string): readonly string[] => text.split('\n');

/** What people and programs put around an output. */
const wrappers: Readonly<Record<string, (text: string) => string>> = {
  compose: eachLine('trainer-1  | '),
  kubectl: eachLine('[pod/train-0/main] '),
  journald: eachLine('Nov 29 14:38:02 gpu01 smi-watch[812]: '),
  'journald -o short-iso': eachLine('2026-11-29T14:38:02+0100 gpu01 smi-watch[812]: '),
  srun: eachLine('0: '),
  'a container log': eachLine('2026-11-29T14:38:02.123456789Z '),
  'logging of Python': eachLine('2026-11-29 14:38:02,123 - monitor - INFO - '),
  'a comment of a script': eachLine('# '),
  'a comment of C': eachLine('// '),
  'a quote': eachLine('> '),
  'a quote of a quote': eachLine('> > '),
  fence: (text) => `\`\`\`text\n${text}\n\`\`\`\n`,
  prompt: (text) => `me@gpu01:~$ nvidia-smi\n${text}\nme@gpu01:~$\n`,
  notebook: (text) => JSON.stringify({ text: lines(text).map((line) => `${line}\n`) }, null, 1),
  colours: (text) => text.replace(/^.+$/gm, '\u001b[1;32m$&\u001b[0m'),
  CRLF: (text) => text.replace(/\n/g, '\r\n'),
  'a web page': (text) =>
    lines(text)
      .map((line) => line.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;'))
      .join('<br>\n'),
};

describe.each(Object.keys(wrappers))('every recorded output in %s', (wrapper) => {
  it('reads as without it', () => {
    const different = names.filter((name) => {
      const text = readFileSync(path.join(folder, name), 'utf8').replace(/\r\n/g, '\n');
      const wrapped = readSaved(wrappers[wrapper]?.(text) ?? '');
      return JSON.stringify(wrapped) !== JSON.stringify(readSaved(text));
    });
    expect(different).toEqual([]);
  });
});
