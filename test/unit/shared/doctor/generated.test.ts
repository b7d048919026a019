import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';
import type { Failure } from '../../../../shared/doctor/types';
import { recordedMessages } from './recorded';

const memoryKinds: ReadonlySet<string> = new Set(['oom', 'host-oom', 'shm', 'nccl', 'leak']);
const ofMemory = recordedMessages().filter(({ kind }) => memoryKinds.has(kind));
/** Messages of a grammar; words that no grammar knows have no phrase to be known by when they are torn. */
const known = ofMemory.filter(({ text }) => rootOf(text)?.format !== 'memory-line');
const message = fc.constantFrom(...known.map(({ text }) => text));
const seeded = { seed: 21, numRuns: 250 } as const;

function rootOf(text: string): Failure | undefined {
  const { failures, rootFailure } = diagnose(text);
  return failures[rootFailure ?? 0];
}

function isAboutMemory(failure: Failure | undefined): boolean {
  if (failure === undefined) return false;
  return memoryKinds.has(failure.kind) || failure.format === 'memory-line' || failure.format === 'class-only';
}

const eachLine =
  (prefix: string) =>
  (text: string): string =>
    text
      .split('\n')
      .map((line) => `${prefix}${line}`)
      .join('\n');

function wrapAt(width: number, text: string): string {
  const rows: string[] = [];
  for (const line of `${text}\n${'x'.repeat(3 * width)}`.split('\n'))
    for (let from = 0; from < Math.max(1, line.length); from += width)
      rows.push(line.slice(from, from + width));
  return rows.join('\n');
}

/** A number before a unit, and nothing else: an exit code, an errno or a version is what it is. */
const size = /\d+(?=(?:\.\d+)? ?(?:[KMG]i?B\b|bytes\b|kB\b))/g;

/** What programs and people make of it, and what carries it. */
const rewritten = fc.oneof(
  fc
    .integer({ min: 1, max: 900 })
    .map((more) => (text: string) => text.replace(size, (digits) => String(Number(digits) + more))),
  fc.constant((text: string) => text.toLowerCase()),
  fc.constant(
    (text: string) =>
      `Traceback (most recent call last):\n  File "train.py", line 4, in <module>\n    main()\n${text}`,
  ),
  fc.constant((text: string) => `epoch 3\n${text}\nplease help`),
);
const carried = fc.oneof(
  fc.integer({ min: 60, max: 200 }).map((width) => (text: string) => wrapAt(width, text)),
  fc
    .constantFrom(
      '[rank3]: ',
      '[default1]:',
      'trainer-1  | ',
      '(RayTrainWorker pid=4009) ',
      '2026-01-02 03:04:05,678 - train - ERROR - ',
      'Jan 02 03:04:05 gpu01 train[4009]: ',
      '> ',
    )
    .map(eachLine),
);

describe('a message about memory, changed on its way', () => {
  it('is told as one about memory', () => {
    fc.assert(
      fc.property(message, rewritten, carried, (text, rewrite, carry) => {
        fc.pre(!/[öé]/.test(text)); // a shell's word counts on a line of its own
        const changed = carry(rewrite(text));
        expect(isAboutMemory(rootOf(`${changed}\n`)), changed).toBe(true);
      }),
      seeded,
    );
  });

  /** `exit code 13` and half of a shell's word tell nothing. */
  const tellsNothing = /(?:code:?|code =|status) ?-?\d{0,2}$|^(?:Getö|Processus)|Getöt/;

  it('is told as one about memory where its last characters are missing', () => {
    fc.assert(
      fc.property(message, fc.integer({ min: 1, max: 3 }), (text, missing) => {
        const cut = text.slice(0, -missing);
        fc.pre(!tellsNothing.test(cut));
        expect(isAboutMemory(rootOf(cut)), cut).toBe(true);
      }),
      seeded,
    );
  });

  it('is never told to be no matter of memory, wherever it is cut', () => {
    fc.assert(
      fc.property(message, fc.double({ min: 0.5, max: 1, noNaN: true }), (text, share) => {
        const cut = text.slice(0, Math.ceil(share * text.length));
        fc.pre(!/\[Errno 28\]/.test(cut)); // the path behind it tells a disk from shared memory
        expect(rootOf(cut)?.kind, cut).not.toBe('not-memory');
      }),
      seeded,
    );
  });
});

describe('an error about memory or a card in words that nobody has written yet', () => {
  const noun = fc.constantFrom(
    'GPU memory',
    'VRAM',
    'device memory',
    'the CUDA arena',
    'HIP pool',
    'the NPU heap',
    'XPU memory',
    'host RAM',
    'the shm segment',
    'TPU HBM',
    'swap space',
  );
  const verb = fc.constantFrom(
    'could not be reserved',
    'is exhausted',
    'request denied',
    'is not available',
    'limit reached',
    'overflow',
    'vanished',
    'is in a bad state',
  );
  const raised = fc.constantFrom('RuntimeError: ', 'engine.core.EngineError: ', 'ERROR: ', 'fatal: ');
  const above = fc.constantFrom(
    '',
    'step 4 done\n',
    'Traceback (most recent call last):\n  File "a.py", line 4, in f\n    g()\n',
  );

  it('is told as such, with its line', () => {
    fc.assert(
      fc.property(noun, verb, raised, above, (what, happened, before, rest) => {
        const failure = rootOf(`${rest}${before}${what} ${happened}\n`);
        expect(isAboutMemory(failure), `${rest}${before}${what} ${happened}`).toBe(true);
        expect(failure?.excerpt).toContain(`${what} ${happened}`);
        expect(failure?.line).toBe(rest.split('\n').length);
      }),
      seeded,
    );
  });
});

/** Texts around a message that report nothing. */
const harmless: Readonly<Record<string, (words: string) => string>> = {
  'a condition in Python': (words) =>
    `def f(x):\n    try:\n        return g(x)\n    except RuntimeError as e:\n        if "${words}" in str(e):\n            return None\n        raise\n`,
  'what a program raises': (words) =>
    `def check(free, need):\n    if free < need:\n        raise RuntimeError("${words}")\n    return free\n`,
  'a comment': (words) => `def f():\n    # ${words}\n    return 1\n`,
  'C++': (words) =>
    `int f() {\n  // ${words}\n  if (err) throw std::runtime_error("${words}");\n  return 0;\n}\n`,
  JavaScript: (words) => `const text = '${words}';\nif (log.includes(text)) retry();\n`,
  Go: (words) => `\tif err != nil {\n\t\treturn fmt.Errorf("${words}: %w", err)\n\t}\n`,
  'a shell script': (words) => `#!/bin/bash\nif grep -q "${words}" log.txt; then\n  echo "${words}"\nfi\n`,
  'a history, a line a commit': (words) =>
    `a1b2c3d Handle ${words}\n9f8e7d6 docs: say what "${words}" means\n1c2d3e4 Bump version\n`,
  'a history': (words) =>
    `commit a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0\nAuthor: A <a@b>\nDate:   Mon Jan 1 00:00:00 2024\n\n    Say it better\n\n    ${words}\n\n    was all that people saw.\n`,
  'a patch': (words) =>
    `diff --git a/t.py b/t.py\n--- a/t.py\n+++ b/t.py\n@@ -1,4 +1,5 @@\n def f():\n-    raise RuntimeError("${words}")\n+    raise RuntimeError("${words}, see the guide")\n`,
  help: (words) =>
    `usage: train.py [-h] [--retry]\n\noptions:\n  -h, --help            show this help message and exit\n  --retry               try once more after ${words}\n`,
  'questions and answers': (words) =>
    `## FAQ\n\n**Q: What does "${words}" mean?**\nA: The card is full. Use a smaller batch.\n`,
  advice: (words) => `If you see \`${words}\`, lower the batch size.\n`,
  'a passed test': (words) =>
    `tests/test_oom.py::test_message[${words}] PASSED\ntests/test_oom.py::test_other PASSED\n2 passed in 0.10s\n`,
  settings: (words) => `alert:\n  pattern: "${words}"\n  action: page\n`,
};

const recovered = (words: string): string =>
  `step 100 loss 2.10\nWARNING: ${words}, retrying with batch size 8\nstep 101 loss 2.09\nstep 102 loss 2.08\ntraining finished\n`;

describe('a message that is only spoken of', () => {
  const plain = recordedMessages().filter(({ text }) => !/["'`\n]/.test(text));
  const words = fc.constantFrom(...plain.map(({ text }) => text));

  it.each(Object.entries(harmless))('reports nothing: %s', (_name, around) => {
    fc.assert(
      fc.property(words, (text) => {
        expect(diagnose(around(text)).failures, around(text)).toEqual([]);
      }),
      { seed: 21, numRuns: 40 },
    );
  });

  it('reports nothing where the program went on', () => {
    const caught = plain.filter(({ kind }) => kind === 'oom').map(({ text }) => text);
    fc.assert(
      fc.property(fc.constantFrom(...caught), (text) => {
        expect(diagnose(recovered(text)).failures, recovered(text)).toEqual([]);
      }),
      { seed: 21, numRuns: 80 },
    );
  });
});
