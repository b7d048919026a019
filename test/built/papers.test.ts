import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { distFolder, root } from '../../build/tools/paths.mjs';
import { commandsIn, linksIn } from './papers';

const papers = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'test/real-card/README.md',
  'test/e2e/README.md',
];
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

/** A folder with the files that the examples speak of. */
const folder = mkdtempSync(path.join(os.tmpdir(), 'headroom-papers-'));
const samples = path.join(root, 'test/fixtures/papers');
cpSync(samples, folder, { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);
const commands = [...new Set(papers.flatMap((name) => commandsIn(read(name))))];
/** Run by this file, from the folder of samples, with the output of nvidia-smi where it is piped. */
const ofHeadroom = commands.filter((command) => /headroom -- |^node dist\/cli\.cjs /.test(command));
/** Known by their script, which `npm test` itself or a test of its own runs. */
const ofNpm = commands.filter((command) => command.startsWith('npm ') && !ofHeadroom.includes(command));
const others = commands.filter((command) => !ofHeadroom.includes(command) && !ofNpm.includes(command));

describe('commands in the papers', () => {
  test('there are some of each kind', () => {
    expect(ofHeadroom.length).toBeGreaterThan(6);
    expect(ofNpm).toEqual(expect.arrayContaining(['npm start', 'npm test']));
  });

  test.each(ofHeadroom)('%s', (command) => {
    const [, words = ''] = command.split(/headroom -- |^node dist\/cli\.cjs /);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [path.join(distFolder, 'cli.cjs'), ...wordsOf(words)],
      {
        cwd: folder,
        encoding: 'utf8',
        timeout: 60_000,
        input: command.startsWith('nvidia-smi ') ? read('test/fixtures/papers/nvidia-smi.xml') : '',
      },
    );
    // 1: the answer is negative, as for a leftover that was found.
    expect([0, 1], stderr).toContain(status);
    expect(stdout.length).toBeGreaterThan(20);
  });

  test.each(ofNpm)('%s', (command) => {
    const [, verb = '', script = ''] = command.split(/\s+/);
    if (verb === 'ci') return; // npm's own.
    expect(scripts).toContain(verb === 'run' ? script : verb);
  });

  test('the others name files that are there', () => {
    for (const command of others) {
      const files = command.split(/\s+/).filter((word) => /^test\/.*\.(mjs|py)$/.test(word));
      expect(files.length, `${command}: no test knows this command`).toBeGreaterThan(0);
      for (const file of files) expect(existsSync(path.join(root, file)), file).toBe(true);
    }
  });
});

test.each(papers)('links of %s lead to files that are there', (name) => {
  for (const link of linksIn(read(name)))
    expect(existsSync(path.join(root, path.dirname(name), link)), link).toBe(true);
});

test('tests that SECURITY.md and ARCHITECTURE.md name are there', () => {
  const present = readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' });
  const named = ['SECURITY.md', 'ARCHITECTURE.md'].flatMap((name) =>
    [...read(name).matchAll(/`([\w/.-]+\.test\.ts)`/g)].map(([, file = '']) => file.replace(/^test\//, '')),
  );
  expect(named.length).toBeGreaterThan(20);
  const missing = named.filter((file) => !present.some((one) => one === file || one.endsWith(`/${file}`)));
  expect(missing).toEqual([]);
});

/** Splits as a shell does, as far as the examples need it; where the output goes is left out. */
function wordsOf(text: string): readonly string[] {
  return [...text.replace(/ > \S+$/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
}
