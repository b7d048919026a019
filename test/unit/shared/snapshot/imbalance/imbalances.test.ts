import { describe, expect, it } from 'vitest';
import { imbalances } from '../../../../../shared/snapshot/imbalance/imbalances';
import { translate } from '../../../../../shared/i18n/translate';
import type { Card } from '../../../../../shared/gpu/types';
import type { Job } from '../../../../../shared/jobs/types';
import { card, job, member } from './builders';

const kinds = (cards: readonly Card[], jobs: readonly Job[]) =>
  imbalances(cards, jobs).map(({ kind }) => kind);
const ranks = (held: readonly (readonly number[])[], command?: string) =>
  held.map((one, rank) => member(100 + rank, rank, one, command));

describe('what is uneven', () => {
  it('sees one process that fills card 0 while card 1 idles, and says so in both languages', () => {
    const [one] = imbalances([card(0, 23.1), card(1, 0.4)], [job('train', [member(41822, null, [22.6])])]);
    expect(one).toMatchObject({ kind: 'everything-on-one-card', gpuIndices: [0, 1], jobIds: ['train'] });
    expect(one && translate('en', one.what)).toBe(
      'Everything is on card 0: train.py holds 22.6 GiB there, and one card is idle.',
    );
    expect(one && translate('zh-CN', one.what)).toBe(
      '全部压在 0 号卡上：train.py 占用 22.6 GiB，另有 1 张卡空闲。',
    );
  });

  it('sees ranks that all chose card 0 long before it is full', () =>
    expect(kinds([card(0, 8), card(1, 0.2)], [job('train', ranks([[4], [4]]))])).toEqual([
      'everything-on-one-card',
    ]));

  it("sees DataParallel's master among four cards, and between two where it is nearly full", () => {
    const four = [card(0, 22), card(1, 12), card(2, 12), card(3, 12)];
    expect(kinds(four, [job('dp', [member(1, null, [21.5, 11.8, 11.9, 11.8])])])).toEqual([
      'data-parallel-master',
    ]);
    expect(kinds([card(0, 22), card(1, 12)], [job('dp', [member(1, null, [21.5, 11.8])])])).toEqual([
      'data-parallel-master',
    ]);
  });

  it('sees the bare contexts of three ranks on card 0', () => {
    const job4 = job(
      'train',
      ranks([
        [16, 0, 0, 0],
        [0.5, 15, 0, 0],
        [0.5, 0, 15, 0],
        [0.5, 0, 0, 15],
      ]),
    );
    const found = imbalances([card(0, 17.5), card(1, 15), card(2, 15), card(3, 15)], [job4]);
    expect(found.map(({ kind }) => kind)).toEqual(['stray-contexts']);
    expect(found[0] && translate('en', found[0].what)).toBe(
      '3 ranks of train.py keep bare contexts on card 0: 1.5 GiB together.',
    );
  });

  it('sees the one rank of four that differs', () => {
    const cards = [card(0, 20), card(1, 15), card(2, 15), card(3, 15)];
    const [one] = imbalances(cards, [job('train', ranks([[20], [0, 15], [0, 0, 15.1], [0, 0, 0, 14.9]]))]);
    expect(one).toMatchObject({ kind: 'differing-rank', gpuIndices: [0] });
  });

  it('sees two jobs on one card while another idles', () =>
    expect(
      kinds(
        [card(0, 15), card(1, 0.2)],
        [job('a', [member(1, null, [8])]), job('b', [member(2, null, [7])])],
      ),
    ).toEqual(['jobs-on-one-card']));

  it('says that CUDA counts mixed cards in another order', () =>
    expect(kinds([card(0, 0.2, { cudaOrdinal: 1 }), card(1, 0.2, { cudaOrdinal: 0 })], [])).toEqual([
      'card-order',
    ]));
});

describe('what is not uneven', () => {
  const full = [card(0, 20), card(1, 20), card(2, 20), card(3, 20)];

  it.each<[string, readonly Card[], readonly Job[]]>([
    ['a healthy DDP job', full, [job('ddp', ranks([[20], [0, 20.2], [0, 0, 20], [0, 0, 0, 19.9]]))]],
    [
      'pipeline stages whose ends are heavier',
      full,
      [job('pp', ranks([[20], [0, 14], [0, 0, 14], [0, 0, 0, 21]]))],
    ],
    [
      'a pipeline whose last stage alone is heavier and whose command says what it is',
      full,
      [
        job(
          'pp',
          ranks(
            [[14], [0, 14], [0, 0, 14], [0, 0, 0, 20]],
            'python train.py --pipeline-model-parallel-size 4',
          ),
        ),
      ],
    ],
    [
      'layers spread over two cards',
      [card(0, 14), card(1, 10)],
      [job('map', [member(1, null, [13.5, 9.8])])],
    ],
    ['a small job on a two-card box', [card(0, 9), card(1, 0.2)], [job('one', [member(1, null, [8.5])])]],
    [
      'the desktop on a full card 0',
      [card(0, 23), card(1, 0.2)],
      [job('Xorg', [member(1, null, [22])], { kind: 'desktop' })],
    ],
    [
      'the leftovers of a dead job, which are told elsewhere',
      [card(0, 23), card(1, 0.2)],
      [job('old', [member(1, null, [22])], { verdict: 'stale' })],
    ],
    [
      'processes whose memory the driver does not say',
      [card(0, 23), card(1, 0.2)],
      [job('x', [{ ...member(1, null, []), cards: [{ gpuIndex: 0, usedBytes: null }] }])],
    ],
    ['no cards and no jobs', [], []],
  ])('%s', (_name, cards, jobs) => expect(kinds(cards, jobs)).toEqual([]));
});
