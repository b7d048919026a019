import { describe, expect, it } from 'vitest';
import { UnattributedMemory } from '../../../../electron/sensing/unattributedMemory';
import { emptyProcess } from '../../../../shared/gpu/smi/card';
import { wholeWorld } from '../../../../shared/jobs/world';
import { plainCard, snapshotOf } from '../../shared/contract/typedSnapshot';

const GiB = 1024 ** 3;

describe('memory that nobody is listed for', () => {
  const seen = (usedBytes: number | null, listed: readonly (number | null)[], lost = false) =>
    snapshotOf({
      cards: [plainCard(0, { lost, memoryUsedBytes: usedBytes, memoryTotalBytes: 24 * GiB })],
      processes: listed.map((used, at) => ({ ...emptyProcess(), gpuIndex: 0, pid: at + 1, usedBytes: used })),
    });
  const reading = { world: wholeWorld, facts: [], topByMemory: [] };

  it('makes suspicious at once and is said when it stays', () => {
    const memory = new UnattributedMemory();
    const codes = () => memory.problems(seen(10 * GiB, [2 * GiB]), reading).map(({ code }) => code);
    expect(codes()).toEqual([]);
    expect(memory.isSuspicious()).toBe(true);
    expect([codes(), codes()]).toEqual([[], ['memory-unattributed']]);
    memory.problems(seen(10 * GiB, [9.5 * GiB]), reading);
    expect(memory.isSuspicious()).toBe(false);
  });

  it.each([
    ['a card that does not say', seen(null, [])],
    ['a process that does not say', seen(10 * GiB, [null])],
    ['a lost card', seen(10 * GiB, [], true)],
    ['a gibibyte for contexts and display', seen(1.1 * GiB, [])],
  ])('%s makes nobody suspicious', (_what, snapshot) => {
    const memory = new UnattributedMemory();
    memory.problems(snapshot, reading);
    expect(memory.isSuspicious()).toBe(false);
  });

  it('in a container says that the holders live outside', () => {
    const memory = new UnattributedMemory();
    const codes = () =>
      memory
        .problems(seen(10 * GiB, []), {
          ...reading,
          world: { ...wholeWorld, hidden: new Set(['otherNamespaces'] as const) },
        })
        .map(({ code }) => code);
    codes();
    codes();
    expect(codes()).toEqual(['memory-unattributed', 'outside-namespace']);
  });
});
