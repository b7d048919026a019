import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allRules, check, fileKind } from '../../../../shared/check/check';
import { faults } from './faults';
import { quiet } from './quiet';

const good = join(import.meta.dirname, '../../../fixtures/check/good');
const read = (name: string) => readFileSync(join(good, name), 'utf8');
const names = readdirSync(good);

describe('well-written files', () => {
  it('are eleven of five kinds', () => {
    expect(names).toHaveLength(11);
    expect(new Set(names.map((name) => fileKind(name, read(name))))).toEqual(
      new Set(['python', 'notebook', 'shell', 'json', 'yaml']),
    );
  });

  it.each(names)('%s has no finding', (name) => {
    const kind = fileKind(name, read(name));
    expect(kind === null ? kind : check(read(name), kind)).toEqual([]);
  });
});

describe('seeded faults', () => {
  it('are at least forty, and every rule has one', () => {
    expect(faults.length).toBeGreaterThanOrEqual(40);
    expect([...new Set(faults.map(({ rule }) => rule))].toSorted()).toEqual(
      allRules.map(({ rule }) => rule).toSorted(),
    );
  });

  it.each(faults.map((fault, index) => [`${fault.rule} (${index})`, fault] as const))(
    '%s is found on its line',
    (_name, fault) => {
      const found = check(fault.text, fault.kind ?? 'python').filter(({ rule }) => rule === fault.rule);
      expect(found.map(({ line }) => line)).toContain(fault.line);
    },
  );

  it.each(
    faults
      .filter(({ kind }) => kind === undefined)
      .map((fault, index) => [`${fault.rule} (${index})`, fault] as const),
  )('%s is silent where a comment says so', (_name, fault) => {
    const lines = fault.text.split('\n');
    lines[fault.line - 1] += `  # headroom: ignore ${fault.rule}`;
    const found = check(lines.join('\n'), 'python').filter(
      ({ rule, line }) => rule === fault.rule && line === fault.line,
    );
    expect(found).toEqual([]);
  });
});

describe('what looks like a fault and is none', () => {
  it.each(quiet.map((it) => [`${it.rule}: ${it.why}`, it] as const))('%s', (_name, { rule, kind, text }) => {
    const found = check(text, kind ?? 'python').filter((finding) => finding.rule === rule);
    expect(found.map(({ line }) => line)).toEqual([]);
  });

  it('names a use of torch.cuda.amp once, where it is imported into use', () => {
    const text =
      'import torch\nscaler = torch.cuda.amp.GradScaler()\nscaler.scale(loss).backward()\nscaler.step(opt)\nscaler.update()\n';
    expect(check(text, 'python').filter(({ rule }) => rule === 'deprecated-cuda-amp')).toHaveLength(1);
  });
});

describe('what is read', () => {
  it('resolves names through imports, and sees nothing in comments and strings', () => {
    expect(
      check('from torch import nn as layers\nx = layers.DataParallel(m)\n', 'python').map(({ rule }) => rule),
    ).toContain('uses-data-parallel');
    expect(check('# torch.nn.DataParallel(m)\nx = "torch.nn.DataParallel(m)"\n', 'python')).toEqual([]);
    expect(check('class DataParallel: pass\nx = DataParallel(1)\n', 'python')).toEqual([]);
  });

  it('counts lines of a notebook by its cells and knows magics', () => {
    const cells = [
      { cell_type: 'markdown', source: 'text' },
      { cell_type: 'code', source: '%load_ext x\nimport torch' },
      { cell_type: 'code', source: ['x = 1\n', 'for i in [1]:\n', '    torch.cuda.empty_cache()\n'] },
    ];
    expect(check(JSON.stringify({ cells, nbformat: 4 }), 'notebook')).toMatchObject([
      { rule: 'empty-cache-in-loop', cell: 3, line: 3 },
    ]);
  });

  it('says what can be said of broken Python', () =>
    expect(
      check('import torch\nmodel = torch.nn.DataParallel(m)\nfor x in:\n    y = (\n', 'python').map(
        ({ rule }) => rule,
      ),
    ).toEqual(['uses-data-parallel', 'not-valid-python']));

  it('keeps lines true with CRLF and a byte-order mark', () =>
    expect(
      check('\uFEFFimport torch\r\n\r\nm = torch.nn.DataParallel(torch.nn.Linear(1, 1))\r\n', 'python'),
    ).toMatchObject([{ line: 3, column: 5 }]));

  it('knows a file by its name, or by what it begins with', () => {
    expect(fileKind('a/train.PY', '')).toBe('python');
    expect(fileKind('job.sbatch', '')).toBe('shell');
    expect(fileKind('-', '#!/bin/bash\n')).toBe('shell');
    expect(fileKind('-', '"""doc"""\nimport os\n')).toBe('python');
    expect(fileKind('a.png', '\u0000')).toBeNull();
  });
});

describe('whatever is dropped', () => {
  const kind = fc.constantFrom('python', 'notebook', 'shell', 'json', 'yaml' as const);
  const pieces = faults.map(({ text }) => text).concat(names.map(read));
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc
      .tuple(fc.constantFrom(...pieces), fc.nat(), fc.nat(), fc.string({ maxLength: 5 }))
      .map(
        ([piece, from, length, insert]) =>
          piece.slice(0, from % piece.length) + insert + piece.slice((from % piece.length) + (length % 40)),
      ),
  );

  it('never fails and points into the text', () => {
    fc.assert(
      fc.property(text, kind, (source, as) => {
        for (const { line, column } of check(source, as)) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(column).toBeGreaterThanOrEqual(1);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('what is proposed for a name that nothing gives a value', () => {
  const proposed = (text: string) =>
    check(text, 'python')
      .filter(({ rule }) => rule === 'name-not-imported')
      .map(({ better }) => better);

  it('is the import that people mean, the module of that name, or one to fill in', () => {
    expect(proposed('import torch\nx = np.zeros(3)\n')).toEqual(['import numpy as np']);
    expect(proposed('import torch\nargs = argparse.ArgumentParser()\n')).toEqual(['import argparse']);
    expect(proposed('import torch\nmodel = Net()\nopt.step()\n')).toEqual([
      'from MODULE import Net',
      'from MODULE import opt',
    ]);
    expect(proposed('import torch\nbatch = collate([1])\n')).toEqual(['from MODULE import collate']);
  });
});
