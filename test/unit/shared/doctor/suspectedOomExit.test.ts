import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';
import { joinSuspectedOomExits, suspectedOomExitsBetween } from '../../../../shared/doctor/suspectedOomExit';
import { machineProblem } from '../../../../shared/gpu/problems';
import type { GpuProcess } from '../../../../shared/gpu/types';
import { message } from '../../../../shared/i18n/message';
import { translate } from '../../../../shared/i18n/translate';
import { GiB, MiB } from '../../../../shared/units';
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
  cards: [
    card(0, { memoryUsedBytes: 23.5 * GiB, memoryFreeBytes: GiB / 2 }),
    card(1, { memoryUsedBytes: 20 * GiB }),
  ],
  processes: [process(41, 20 * GiB), process(43, 3 * GiB), process(42, 20 * GiB, 1)],
  jobs: [job('j', [member(41, [[0, 20 * GiB]], { rank: 0 }), member(42, [[1, 20 * GiB]], { rank: 1 })])],
  forecast: [
    {
      gpuIndex: 0,
      pid: 41,
      state: 'growing',
      slopeBytesPerSecond: 13 * MiB,
      etaSeconds: 40,
      risingForSeconds: 400,
      willFill: true,
      mayBeLoading: false,
      etaRangeSeconds: [35, 45],
      growingPids: [41],
      announced: null,
    },
  ],
  imbalance: [
    {
      kind: 'differing-rank',
      gpuIndices: [0],
      jobIds: ['j'],
      what: message('app.doctor'),
      why: message('app.doctor'),
      remedy: message('app.doctor'),
    },
  ],
});
const after = snapshot({
  time: noon + 1,
  cards: [card(0, { memoryUsedBytes: 3.5 * GiB }), card(1)],
  processes: [process(43, 3 * GiB), process(42, 20 * GiB, 1)],
});

const oom = (gpu: number, capacity: string): string =>
  `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU ${gpu} has a total capacity of ${capacity} of which 40.00 MiB is free. Of the allocated memory 22.60 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.`;

function evidence(text: string, now = noon + 60): string[] {
  const { failures } = joinSuspectedOomExits(diagnose(text), suspectedOomExitsBetween(before, after), now);
  return (failures[0]?.causes[0]?.evidence ?? []).map((words) => translate('en', words));
}

describe('what Headroom saw itself', () => {
  it('is a large process that is gone from a nearly full card', () => {
    expect(suspectedOomExitsBetween(before, after)).toEqual([
      {
        time: noon + 1,
        gpuIndex: 0,
        cardName: before.cards[0]?.name,
        pid: 41,
        rank: 0,
        name: 'train.py',
        command: before.jobs[0]?.members[0]?.process.command,
        jobId: 'j',
        processBytes: 20 * GiB,
        ranForSeconds: noon - (before.jobs[0]?.members[0]?.process.startedAt ?? 0),
        usedBytes: 23.5 * GiB,
        totalBytes: 24 * GiB,
        freeBytes: GiB / 2,
        others: [{ pid: 43, bytes: 3 * GiB }],
        ranks: [{ pid: 42, rank: 1, gpuIndex: 1, usedBytes: 20 * GiB, ended: false }],
        forecast: before.forecast[0],
        uneven: [message('app.doctor')],
        hostUsedBytes: host.memoryUsedBytes,
        hostTotalBytes: host.memoryTotalBytes,
      },
    ]);
  });

  it('is nothing while all processes live, and nothing where the card was not full', () => {
    expect(suspectedOomExitsBetween(before, before)).toEqual([]);
    const roomy = { ...before, cards: [card(0, { memoryUsedBytes: 20 * GiB }), card(1)] };
    expect(suspectedOomExitsBetween(roomy, after)).toEqual([]);
  });

  it('is nothing where the end is no failure of the card: ended on purpose, card lost, readings that fail', () => {
    expect(suspectedOomExitsBetween(before, after, new Set([41]))).toEqual([]);
    const lost = { ...after, cards: after.cards.map((one) => ({ ...one, lost: true })) };
    expect(suspectedOomExitsBetween(before, lost)).toEqual([]);
    const scene = { ...after, source: { kind: 'simulated', sceneId: 'mig' } } as const;
    expect(suspectedOomExitsBetween(before, scene)).toEqual([]);
    const silent = machineProblem('smi-silent', 9);
    expect(suspectedOomExitsBetween(before, { ...after, problems: [silent] })).toEqual([]);
  });

  it('joins the evidence of a failure on that card', () => {
    expect(evidence(oom(0, '23.65 GiB')).slice(-8)).toEqual([
      'Headroom saw it: train.py (pid 41) ended on card 0 while 23.5 GiB of 24.0 GiB were in use.',
      expect.stringMatching(/^The process itself held 20\.0 GiB at its last reading, 83 % of the card/),
      expect.stringMatching(/^Its command was: .*train\.py/),
      'At that moment other processes held 3.0 GiB of the card.',
      'Its memory had been rising for 7 min, by 13 MiB a second; the forecast was a full card in 40 sec.',
      'Doctor',
      'Rank 1 of its job (pid 42) held 20.0 GiB on card 1 and was still there.',
      expect.stringMatching(/^At that moment .* host memory was in use\.$/),
    ]);
  });

  it('joins also after a long time where it is what the text was brought for', () => {
    const witnesses = suspectedOomExitsBetween(before, after);
    const [shown] = witnesses;
    const text = diagnose(oom(0, '23.65 GiB'));
    const joined = joinSuspectedOomExits(text, witnesses, noon + 7200, shown);
    expect(joined.failures[0]?.causes[0]?.evidence.map(({ key }) => key)).toContain('doctorEvidence.seen');
    expect(joinSuspectedOomExits(text, witnesses, noon + 7200)).toEqual(text);
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
    const joined = joinSuspectedOomExits(plain, suspectedOomExitsBetween(before, after), noon + 60);
    expect(joined.failures[0]?.causes.map(({ cause, confidence }) => [cause, confidence])).toEqual(
      plain.failures[0]?.causes.map(({ cause, confidence }) => [cause, confidence]),
    );
  });
});
