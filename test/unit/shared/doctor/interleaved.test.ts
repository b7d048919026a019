import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';
import { MiB } from '../../../../shared/units';

const ranks = [0, 1, 2, 3];

function traceback(rank: number): string[] {
  return [
    'Traceback (most recent call last):',
    '  File "train.py", line 120, in <module>',
    '    main()',
    '  File "train.py", line 88, in main',
    '    loss.backward()',
    '  File "/opt/lib/python3.10/site-packages/torch/_tensor.py", line 492, in backward',
    '    torch.autograd.backward(',
    `torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate ${128 + rank}.00 MiB. GPU ${rank} has a total capacty of 39.39 GiB of which ${40 + rank}.56 MiB is free. Including non-PyTorch memory, this process has 39.30 GiB memory in use. Of the allocated memory 37.1${rank} GiB is allocated by PyTorch, and 91.12 MiB is reserved by PyTorch but unallocated.`,
  ];
}

const bar = Array.from(
  { length: 6 },
  (_, step) => `\r ${step}%|▏  | ${step}/1000 [00:0${step}<15:48,  1.08s/it]`,
);

/** Lines of several writers in one order that keeps each writer's own. */
function interleaved(writers: readonly (readonly string[])[], picks: readonly number[]): string[] {
  const left = writers.map((lines) => [...lines]);
  const lines: string[] = [];
  for (let at = 0; left.some(({ length }) => length > 0); at += 1) {
    const open = left.filter(({ length }) => length > 0);
    const line = open[(picks[at % picks.length] ?? 0) % open.length]?.shift();
    if (line !== undefined) lines.push(line);
  }
  return lines;
}

describe('ranks that fail at once and write into one log', () => {
  it.each([
    ['with a prefix', (rank: number) => `[rank${rank}]: `],
    ['without one', () => ''],
  ])('are told apart %s, whatever the order of their lines', (_how, prefix) => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { minLength: 8, maxLength: 40 }), (picks) => {
        const writers = ranks.map((rank) => traceback(rank).map((line) => `${prefix(rank)}${line}`));
        const { failures, rootFailure } = diagnose(interleaved([...writers, bar], picks).join('\n'));
        const told = failures.map(({ facts }) => [facts.gpuIndex, facts.triedBytes]);
        expect(told.toSorted()).toEqual(ranks.map((rank) => [rank, (128 + rank) * MiB]));
        expect(['batch_too_large', 'too_small_card_or_batch']).toContain(
          failures[rootFailure ?? -1]?.causes[0]?.cause,
        );
      }),
      { numRuns: 100 },
    );
  });
});
