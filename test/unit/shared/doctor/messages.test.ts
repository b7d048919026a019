import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';
import { recordedMessages } from './recorded';

/** Words that no grammar knows: they must not be told to be no matter of memory. */
const unknown = [
  'RuntimeError: XPU allocator gave up',
  'Error: the NPU refused the tensor',
  'RuntimeError: HIP launch failed for unknown reasons',
  'RuntimeError: Metal command encoder failed',
  'OSError: shm segment vanished',
  'SomeError: worker killed by watchdog',
  'RuntimeError: device lost',
  'ValueError: GPU arena in bad state',
  'RuntimeError: RAM check failed',
] as const;

const behind = (text: string): string =>
  `Traceback (most recent call last):\n  File "train.py", line 4, in <module>\n    main()\n${text}\n`;

function rootOf(text: string) {
  const { failures, rootFailure } = diagnose(text);
  return failures[rootFailure ?? 0];
}

describe('messages of many programs', () => {
  it.each(recordedMessages().map((row) => [row.text, row.kind, row] as const))(
    '%s is %s',
    (text, kind, { cause, figures }) => {
      const failure = rootOf(`${text}\n`);
      expect(failure?.kind).toBe(kind);
      expect(failure?.causes[0]?.cause ?? null).toBe(cause);
      const read: Readonly<Record<string, unknown>> = { ...failure?.details, ...failure?.facts };
      for (const [name, value] of Object.entries(figures)) expect(read[name], name).toBe(value);
    },
  );
});

describe('a message about memory or a card that no grammar knows', () => {
  it.each(unknown)('is called so, with its line: %s', (text) => {
    const failure = rootOf(behind(text));
    expect(failure?.format).toBe('memory-line');
    expect(failure?.line).toBe(4);
    expect(failure?.excerpt).toContain(text);
    expect(failure?.meaning?.key).not.toBe('doctorMeaning.pythonError');
  });

  it('leaves an error of something else what it is', () => {
    expect(rootOf(behind("KeyError: 'input_ids'"))?.meaning?.key).toBe('doctorMeaning.pythonError');
  });
});
