import { afterEach, describe, expect, test } from 'vitest';
import { processIo } from '../../../electron/commands/processIo';

const signals = ['SIGINT', 'SIGTERM'] as const;
const before = signals.map((name) => process.listeners(name));

/** What was added to the listeners of each signal. */
const added = (): (() => void)[] =>
  signals.flatMap((name, index) =>
    process.listeners(name).filter((listener) => !before[index]?.includes(listener)),
  ) as (() => void)[];

afterEach(() => {
  for (const name of signals) for (const listener of added()) process.removeListener(name, listener);
});

describe('signals', () => {
  test('end a command that holds nothing at once: no handler stands in their way', () => {
    processIo(false);
    expect(added()).toEqual([]);
  });

  test('abort a command that cleans up, which then ends by itself', () => {
    const io = processIo(true);
    const [interrupt] = added();
    expect(added()).toHaveLength(2);
    expect(io.signal.aborted).toBe(false);
    process.listeners('SIGINT').at(-1)?.('SIGINT');
    expect(interrupt).toBeDefined();
    expect(io.signal.aborted).toBe(true);
  });
});
