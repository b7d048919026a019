/** Sixteen cards and some 130 processes: a large machine shared by four jobs, to see how much fits on a screen. */
import { message } from '../../../shared/i18n/message';
import { cardsOf, h100 } from '../cards';
import { torchrunJob } from '../programs';
import { healthyCard, onCard, wave, type Scene } from '../scene';

const jobs = [
  {
    key: 'pretrain',
    script: ['pretrain_7b.py'],
    gpuIndices: [0, 1, 2, 3, 4, 5, 6, 7],
    usedMiB: 71_902,
    workers: 8,
  },
  { key: 'sft', script: ['sft.py', '--lora'], gpuIndices: [8, 9, 10, 11], usedMiB: 52_318, workers: 6 },
  { key: 'reward', script: ['reward.py'], gpuIndices: [12, 13], usedMiB: 38_550, workers: 6 },
  { key: 'vision', script: ['vit_large.py', '--amp'], gpuIndices: [14, 15], usedMiB: 24_096, workers: 6 },
];

export const sixteenCards: Scene = {
  id: 'sixteen-cards',
  title: message('scenes.sixteenCardsTitle'),
  description: message('scenes.sixteenCardsDescription'),
  driverVersion: '580.159.04',
  cudaVersion: '13.0',
  cards: cardsOf(h100, 16),
  programs: jobs.flatMap(({ key, script, gpuIndices, workers }, at) =>
    torchrunJob({ key, script, gpuIndices, masterPort: 29_500 + at, workersPerRank: workers }),
  ),
  processesAt: (seconds) =>
    jobs.flatMap(({ key, gpuIndices, usedMiB }) =>
      gpuIndices.map((gpuIndex, rank) =>
        onCard({
          program: `${key}.rank${rank}`,
          gpuIndex,
          usedMiB,
          utilizationPercent: 94 + 5 * wave(seconds, gpuIndex),
        }),
      ),
    ),
  conditionAt: () => healthyCard,
  failureAt: () => null,
};
