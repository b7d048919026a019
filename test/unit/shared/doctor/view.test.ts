import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';
import type { Failure } from '../../../../shared/doctor/types';
import { failureBar } from '../../../../shared/doctor/view/cardBar';
import { ExcerptCollector } from '../../../../shared/doctor/view/excerpt';
import { namedFacts } from '../../../../shared/doctor/view/facts';
import { planHint } from '../../../../shared/doctor/view/planHint';
import { translate } from '../../../../shared/i18n/translate';
import { GiB, MiB } from '../../../../shared/units';
import { carriedCases } from './recorded';

function failureOf(text: string): Failure {
  const [failure] = diagnose(text).failures;
  if (failure === undefined) throw new Error('no failure');
  return failure;
}

const shared =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 24.00 GiB of which 512.00 MiB is free. Process 851 has 18.00 GiB memory in use. Including non-PyTorch memory, this process has 5.50 GiB memory in use. Of the allocated memory 4.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.';

const bytesByKind = (failure: Failure): Record<string, number> =>
  Object.fromEntries((failureBar(failure)?.pieces ?? []).map(({ kind, bytes }) => [kind, bytes]));

describe('failureBar', () => {
  it('lays the card out: tensors, unused reserve, context, others, and the request over its end', () => {
    const bar = failureBar(failureOf(shared));
    expect(bar).toMatchObject({ cardBytes: 24 * GiB, freeBytes: 512 * MiB, requestIsCut: false });
    expect(bytesByKind(failureOf(shared))).toEqual({
      allocated: 4 * GiB,
      unallocated: GiB,
      context: 0.5 * GiB,
      others: 18 * GiB,
      request: 2 * GiB,
    });
    expect(bar?.scaleBytes).toBe(25.5 * GiB);
  });

  it('says what nobody accounts for', () => {
    const cut = '(GPU 0; 16.00 GiB total capacity; 1.00 GiB already allocated; 17.19 MiB f';
    const bar = failureBar(failureOf(`RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB ${cut}`));
    expect(bar?.pieces.map(({ kind }) => kind)).toEqual(['allocated', 'unexplained', 'request']);
  });

  it('shows no more than the beginning of a request of many cards', () => {
    const bar = failureBar(
      failureOf(
        'CUDA out of memory. Tried to allocate 200.00 GiB. GPU 0 has a total capacity of 24.00 GiB of which 23.00 GiB is free.',
      ),
    );
    expect(bar).toMatchObject({ requestIsCut: true, scaleBytes: 48 * GiB });
  });

  it('takes the limit for the card’s end on MPS', () => {
    const text =
      'MPS backend out of memory (MPS allocated: 4.00 GiB, other allocations: 12.00 GiB, max allowed: 18.00 GiB). Tried to allocate 3.00 GiB on private pool.';
    expect(failureBar(failureOf(text))?.cardBytes).toBe(18 * GiB);
    expect(bytesByKind(failureOf(text))).toEqual({ allocated: 4 * GiB, others: 12 * GiB, request: 3 * GiB });
  });

  it('draws nothing where the card is unknown', () => {
    expect(failureBar(failureOf('RuntimeError: CUDA error: out of memory'))).toBeNull();
  });

  it('is sound for every recorded case', () => {
    for (const { raw } of carriedCases())
      for (const failure of diagnose(raw).failures) {
        const bar = failureBar(failure);
        if (bar === null) continue;
        expect(bar.scaleBytes).toBeGreaterThanOrEqual(bar.cardBytes);
        for (const { bytes } of bar.pieces) expect(bytes).toBeGreaterThan(0);
        expect(new Set(bar.pieces.map(({ kind }) => kind)).size).toBe(bar.pieces.length);
      }
  });
});

describe('namedFacts', () => {
  it('names what is printed and leaves out what is not', () => {
    const named = namedFacts(failureOf(shared).facts).map(({ name, bytes, index }) => [
      translate('en', name),
      bytes ?? index,
    ]);
    expect(named).toEqual([
      ['Card', 1],
      ['Asked for', 2 * GiB],
      ['Free', 512 * MiB],
      ['Capacity', 24 * GiB],
      ['Allocated', 4 * GiB],
      ['Reserved', 5 * GiB],
      ['Reserved, not in use', GiB],
      ['This process', 5.5 * GiB],
      ['Process 851', 18 * GiB],
    ]);
  });
});

describe('planHint', () => {
  it('hands on the cards, what a job can have of them, and how many ranks there are', () => {
    const other = shared.replace('GPU 1', 'GPU 0').replace('512.00 MiB is free', '1.00 GiB is free');
    const { failures } = diagnose(`[rank1]: ${shared}\n[rank0]: ${other}\n`);
    expect(planHint(failures, 'around', null)).toEqual({
      cards: [
        { gpuIndex: 0, totalBytes: 24 * GiB, availableBytes: 6.5 * GiB },
        { gpuIndex: 1, totalBytes: 24 * GiB, availableBytes: 6 * GiB },
      ],
      ranks: 2,
      whileLoading: false,
      text: 'around',
      seenHere: null,
    });
  });

  it('has nothing to hand on without a card', () => {
    expect(planHint(diagnose('RuntimeError: CUDA error: out of memory').failures, '', null)).toBeNull();
  });
});

describe('ExcerptCollector', () => {
  const collect = (text: string, line: number, partLength: number) => {
    const collector = new ExcerptCollector(line);
    for (let from = 0; from < text.length; from += partLength)
      collector.push(text.slice(from, from + partLength));
    return collector.finish();
  };

  it('keeps a short text whole, however it is cut into parts', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.integer({ min: 1, max: 40 }), (text, partLength) => {
        const trimmed = text.endsWith('\n') ? text.slice(0, -1) : text;
        expect(collect(text, 1, partLength)).toEqual({ firstLine: 1, text: trimmed, isWhole: true });
      }),
    );
  });

  it('keeps the lines around the wanted one of a long text', () => {
    const lines = Array.from({ length: 60_000 }, (_all, index) => `line ${index + 1} ${'x'.repeat(60)}`);
    const { firstLine, text, isWhole } = collect(lines.join('\n'), 50_000, 65_536);
    expect(isWhole).toBe(false);
    const kept = text.split('\n');
    expect(kept[50_000 - firstLine]).toBe(lines[49_999]);
    expect(firstLine).toBeLessThan(49_000);
    expect(firstLine + kept.length).toBeGreaterThan(50_900);
    expect(kept.length).toBeLessThan(6_000);
  });

  it('holds no more than a beginning of a line without end', () => {
    const { text } = collect('x'.repeat(6_000_000), 1, 65_536);
    expect(text.length).toBeLessThan(2_200_000);
  });
});
