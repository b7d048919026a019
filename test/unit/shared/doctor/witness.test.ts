import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';
import { joinWitnesses, witnessesBetween } from '../../../../shared/doctor/witness';
import type { GpuProcess } from '../../../../shared/gpu/types';
import { translate } from '../../../../shared/i18n/translate';
import { GiB } from '../../../../shared/units';
import { card, host, job, member, noon, snapshot } from '../../../component/support/snapshots';

const process = (pid: number, usedBytes: number, gpuIndex = 0): GpuProcess => ({
  gpuIndex,
  gpuUuid: null,
  pid,
  type: 'C',
  name: 'python',
  usedBytes,
  gpuInstance: null,
  computeInstance: null,
});

const before = snapshot({
  cards: [card(0, { memoryUsedBytes: 23.5 * GiB }), card(1, { memoryUsedBytes: 2 * GiB })],
  processes: [process(41, 20 * GiB), process(42, 3 * GiB), process(43, 2 * GiB, 1)],
  jobs: [job('j', [member(41, [[0, 20 * GiB]])])],
});
const after = snapshot({
  time: noon + 1,
  cards: [card(0, { memoryUsedBytes: 3.5 * GiB }), card(1)],
  processes: [process(42, 3 * GiB)],
});

const oom = (gpu: number, capacity: string): string =>
  `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU ${gpu} has a total capacity of ${capacity} of which 40.00 MiB is free. Of the allocated memory 22.60 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.`;

function evidence(text: string, now = noon + 60): string[] {
  const { failures } = joinWitnesses(diagnose(text), witnessesBetween(before, after), now);
  return (failures[0]?.causes[0]?.evidence ?? []).map((words) => translate('en', words));
}

describe('what Headroom saw itself', () => {
  it('is a large process that is gone from a nearly full card', () => {
    expect(witnessesBetween(before, after)).toEqual([
      {
        time: noon + 1,
        gpuIndex: 0,
        pid: 41,
        name: 'train.py',
        jobId: 'j',
        processBytes: 20 * GiB,
        usedBytes: 23.5 * GiB,
        totalBytes: 24 * GiB,
        othersBytes: 3 * GiB,
        hostUsedBytes: host.memoryUsedBytes,
        hostTotalBytes: host.memoryTotalBytes,
      },
    ]);
  });

  it('is nothing while all processes live, and nothing where the card was not full', () => {
    expect(witnessesBetween(before, before)).toEqual([]);
    const roomy = { ...before, cards: [card(0, { memoryUsedBytes: 20 * GiB }), card(1)] };
    expect(witnessesBetween(roomy, after)).toEqual([]);
  });

  it('joins the evidence of a failure on that card', () => {
    expect(evidence(oom(0, '23.65 GiB')).slice(-2)).toEqual([
      'Headroom saw it: train.py (pid 41) ended on card 0 while 23.5 GiB of 24.0 GiB were in use.',
      'At that moment other processes held 3.0 GiB of the card.',
    ]);
  });

  it.each([
    ['another card', oom(1, '23.65 GiB'), noon + 60],
    ['a card of another size', oom(0, '79.15 GiB'), noon + 60],
    ['a failure of long ago', oom(0, '23.65 GiB'), noon + 3600],
    [
      'a rank that only waited',
      '[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, Timeout(ms)=6000) ran for 6037 milliseconds before timing out.',
      noon + 60,
    ],
  ])('says nothing of %s', (_what, text, now) => {
    expect(evidence(text, now).filter((words) => words.startsWith('Headroom saw'))).toEqual([]);
  });

  it('does not change the ranking', () => {
    const plain = diagnose(oom(0, '23.65 GiB'));
    const joined = joinWitnesses(plain, witnessesBetween(before, after), noon + 60);
    expect(joined.failures[0]?.causes.map(({ cause, confidence }) => [cause, confidence])).toEqual(
      plain.failures[0]?.causes.map(({ cause, confidence }) => [cause, confidence]),
    );
  });
});
