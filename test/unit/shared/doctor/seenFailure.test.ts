import { describe, expect, it } from 'vitest';
import { failureSeen } from '../../../../shared/doctor/seenFailure';
import { failureBar } from '../../../../shared/doctor/view/cardBar';
import { planHint } from '../../../../shared/doctor/view/planHint';
import type { SuspectedOomExit } from '../../../../shared/doctor/suspectedOomExit';
import { translate } from '../../../../shared/i18n/translate';
import { GiB, MiB } from '../../../../shared/units';

/** One process that crawled into the wall of a 24 GiB card after a minute. */
const story: SuspectedOomExit = {
  time: 1000,
  gpuIndex: 0,
  cardName: 'NVIDIA GeForce RTX 3090',
  pid: 41,
  rank: null,
  name: 'finetune.py',
  command: ['python', 'finetune.py', '--model', 'Llama-2-13b-hf'],
  jobId: 'j',
  processBytes: 23.4 * GiB,
  ranForSeconds: 66,
  usedBytes: 23.6 * GiB,
  totalBytes: 24 * GiB,
  freeBytes: 0.1 * GiB,
  others: [{ pid: 7, bytes: 160 * MiB }],
  ranks: [],
  forecast: null,
  uneven: [],
  hostUsedBytes: 20 * GiB,
  hostTotalBytes: 64 * GiB,
};
const rising = {
  state: 'growing',
  slopeBytesPerSecond: 13 * MiB,
  etaSeconds: 10,
  risingForSeconds: 600,
} as const;
const ranks = [{ pid: 42, rank: 0, gpuIndex: 0, usedBytes: 12 * GiB, ended: false }];

const causesOf = (seen: Partial<SuspectedOomExit>) =>
  (failureSeen({ ...story, ...seen })?.causes ?? []).map(({ cause }) => cause);

describe('a failure that no text tells', () => {
  it('has the numbers, the causes and the steps of one that a text tells', () => {
    const failure = failureSeen(story);
    expect(failure).toMatchObject({
      kind: 'oom',
      format: 'seen-by-headroom',
      line: 0,
      role: 'cause',
      facts: { gpuIndex: 0, capacityBytes: 24 * GiB, thisProcessBytes: 23.4 * GiB, triedBytes: null },
    });
    const [first] = failure?.causes ?? [];
    expect(first?.cause).toBe('too_small_card_or_batch');
    expect(first?.evidence.map((one) => translate('en', one))).toEqual([
      'Headroom saw it: finetune.py (pid 41) ended on card 0 while 23.6 GiB of 24.0 GiB were in use.',
      'The process itself held 23.4 GiB at its last reading, 98 % of the card, after it had run for 66 sec.',
      'Its command was: python finetune.py --model Llama-2-13b-hf',
      'At that moment 20.0 GiB of 64.0 GiB host memory was in use.',
    ]);
    expect(first?.fixes.length).toBeGreaterThan(0);
    expect(failure?.missing.map(({ key }) => key)[0]).toBe('doctorMissing.textOfEnd');
  });

  it.each<[string, Partial<SuspectedOomExit>, string]>([
    ['long even growth is a leak', { forecast: rising, ranForSeconds: 650 }, 'leak_graph_retained'],
    ['a late end of a steady process is a batch', { ranForSeconds: 7200 }, 'batch_too_large'],
    [
      'a card that others filled is theirs',
      { processBytes: 4 * GiB, others: [{ pid: 7, bytes: 19 * GiB }] },
      'other_process',
    ],
    [
      'two ranks on one card are siblings',
      {
        processBytes: 11 * GiB,
        gpuIndex: 1,
        rank: 1,
        others: [{ pid: 42, bytes: 12 * GiB }],
        ranks: ranks.map((one) => ({ ...one, gpuIndex: 1 })),
      },
      'sibling_process_same_job',
    ],
    [
      'rank 1 on card 0 beside rank 0 is all ranks on one card',
      { processBytes: 11 * GiB, rank: 1, others: [{ pid: 42, bytes: 12 * GiB }], ranks },
      'all_ranks_on_gpu0',
    ],
  ])('%s', (_what, seen, cause) => {
    expect(causesOf(seen)[0]).toBe(cause);
  });

  it('names main memory where that was full, too', () => {
    expect(causesOf({ hostUsedBytes: 63 * GiB })).toContain('host_ram');
    expect(causesOf({})).not.toContain('host_ram');
  });

  it('is drawn as the bar of its card and teaches the wizard the card', () => {
    const failure = failureSeen(story);
    if (failure === null) throw new Error('nothing was seen');
    expect(failureBar(failure)?.pieces.map(({ kind }) => kind)).toEqual(['process', 'others']);
    expect(planHint([failure], '', null)?.cards).toEqual([
      { gpuIndex: 0, totalBytes: 24 * GiB, availableBytes: 23.5 * GiB },
    ]);
    expect(planHint([failure], '', story)?.seenHere).toEqual({ command: story.command });
    expect(planHint([], '', story)?.cards).toEqual([]);
  });
});
