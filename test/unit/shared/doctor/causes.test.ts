import { describe, expect, it } from 'vitest';
import { causes, type Cause } from '../../../../shared/doctor/causes';
import { diagnose } from '../../../../shared/doctor/reader';
import type { Failure, JudgedCause } from '../../../../shared/doctor/types';
import { fixText } from '../../../../shared/doctor/view/fixText';
import { locales, translate } from '../../../../shared/i18n/translate';

/** A card's message with these numbers, as PyTorch 2.5 prints it. */
function oom(numbers: {
  tried: string;
  capacity: string;
  free: string;
  allocated: string;
  unallocated?: string;
  gpu?: number;
  more?: string;
}): string {
  const { tried, capacity, free, allocated, unallocated = '60.00 MiB', gpu = 0, more = '' } = numbers;
  return `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ${tried}. GPU ${gpu} has a total capacity of ${capacity} of which ${free} is free. ${more}Of the allocated memory ${allocated} is allocated by PyTorch, and ${unallocated} is reserved by PyTorch but unallocated.`;
}

function rootOf(text: string): Failure | undefined {
  const { failures, rootFailure } = diagnose(text);
  return failures[rootFailure ?? 0];
}

const names = causes.map(({ name }) => name);
const examples = new Map(causes.map(({ name, examples: texts }) => [name, texts]));
const examplesOf = (cause: Cause) => examples.get(cause) ?? { first: [], other: [] };

/** The cause as the doctor names it in the first of its own examples. */
function namedIn(cause: Cause): JudgedCause | undefined {
  const { first, among = [] } = examplesOf(cause);
  return [...first, ...among]
    .flatMap((text) => diagnose(text).failures)
    .flatMap((failure) => failure.causes)
    .find((named) => named.cause === cause);
}

describe('the examples in the file of each cause', () => {
  it.each(names)('%s comes first where it says so, and not where it says not', (cause) => {
    const { first, other, among = [] } = examplesOf(cause);
    expect(first.length + among.length).toBeGreaterThan(0);
    expect(other.length).toBeGreaterThan(0);
    for (const text of first) expect(rootOf(text)?.causes[0]?.cause, text).toBe(cause);
    for (const text of other) expect(rootOf(text)?.causes[0]?.cause, text).not.toBe(cause);
    for (const text of among)
      expect(
        diagnose(text).failures.flatMap((failure) => failure.causes.map((named) => named.cause)),
        text,
      ).toContain(cause);
  });

  it.each(names)('give evidence and fixes for %s in both languages', (cause) => {
    const named = namedIn(cause);
    expect(named?.confidence).toBeGreaterThan(0);
    expect(named?.confidence).toBeLessThanOrEqual(1);
    expect(named?.evidence.length).toBeGreaterThan(0);
    expect(named?.fixes.length).toBeGreaterThan(0);
    for (const locale of locales) {
      for (const text of named?.evidence ?? []) {
        expect(translate(locale, text)).not.toMatch(/\{\w+(?::\w+)?\}/);
        expect(translate(locale, text)).not.toBe(text.key);
      }
      for (const fix of named?.fixes ?? [])
        expect(fixText(fix, (text) => translate(locale, text))).toMatch(/^(?!doctorFixes\.)[^{}]{4,}/);
    }
  });

  it('have the kind of their cause', () => {
    for (const { examples: texts, kind } of causes)
      for (const text of texts.first) expect(rootOf(text)?.kind, text).toBe(kind);
  });
});

describe('fixes', () => {
  const settings = (text: string): string[] => {
    const { failures, rootFailure } = diagnose(text);
    return (failures[rootFailure ?? 0]?.causes[0]?.fixes ?? []).flatMap(({ setting }) => setting ?? []);
  };

  it('name the variable of the build that printed the message', () => {
    const fragmented = (hint: string) =>
      `${oom({ tried: '6.00 GiB', capacity: '39.39 GiB', free: '2.10 GiB', allocated: '24.00 GiB', unallocated: '12.20 GiB' })} If reserved but unallocated memory is large try setting ${hint}=expandable_segments:True to avoid fragmentation.`;
    expect(settings(fragmented('PYTORCH_CUDA_ALLOC_CONF'))[0]).toBe(
      'PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True',
    );
    expect(settings(fragmented('PYTORCH_ALLOC_CONF'))[0]).toBe('PYTORCH_ALLOC_CONF=expandable_segments:True');
    const old =
      'RuntimeError: CUDA out of memory. Tried to allocate 1.86 GiB (GPU 0; 31.72 GiB total capacity; 24.58 GiB already allocated; 1.28 GiB free; 30.00 GiB reserved in total by PyTorch)';
    expect(settings(old)[0]).toBe('PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:256');
  });

  it('ask a serving engine for what was free', () => {
    expect(
      settings(
        'ValueError: Free memory on device cuda:0 (21.02/22.05 GiB) on startup is less than desired GPU memory utilization (0.955, 21.06 GiB).',
      )[0],
    ).toBe('--gpu-memory-utilization 0.95');
  });

  it('lead to another card than the one that failed', () => {
    const taken = oom({
      tried: '2.00 GiB',
      capacity: '23.65 GiB',
      free: '100.00 MiB',
      allocated: '3.00 GiB',
      gpu: 1,
      more: 'Process 4711 has 20.00 GiB memory in use. Including non-PyTorch memory, this process has 3.40 GiB memory in use. ',
    });
    expect(settings(taken)).toContain('CUDA_VISIBLE_DEVICES=0');
    expect(settings(taken.replaceAll('GPU 1 ', 'GPU 0 '))).toContain('CUDA_VISIBLE_DEVICES=1');
  });

  it('look at the size instead of the batch where terabytes were asked for', () => {
    const absurd = oom({
      tried: '5120.00 GiB',
      capacity: '23.65 GiB',
      free: '20.00 GiB',
      allocated: '2.00 GiB',
    });
    const { failures } = diagnose(`  File "m.py", line 3, in step\n    loss.backward()\n${absurd}`);
    const keys = failures[0]?.causes.flatMap(({ fixes }) => fixes.map(({ text }) => text.key)) ?? [];
    expect(keys).toContain('doctorFixes.startClean');
    expect(keys).not.toContain('doctorFixes.smallerMicroBatch');
  });

  it('never tell to end the process that is this job', () => {
    const self = oom({
      tried: '2.00 GiB',
      capacity: '23.65 GiB',
      free: '300.00 MiB',
      allocated: '22.00 GiB',
      more: 'Process 4711 has 22.60 GiB memory in use. ',
    });
    const [failure] = diagnose(self).failures;
    expect(failure?.notHelpful[0]).toEqual({ key: 'doctorAdvice.killSelf', values: { pid: '4711' } });
    expect(failure?.causes.map(({ cause }) => cause)).not.toContain('other_process');
  });
});
