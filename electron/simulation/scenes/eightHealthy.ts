/** Eight cards, one DDP job of eight ranks that runs as it should: even, busy, steady. */
import { message } from '../../../shared/i18n/message';
import { a100, cardsOf } from '../cards';
import { torchrunJob } from '../programs';
import { healthyCard, onCard, wave, type Scene } from '../scene';

const gpuIndices = [0, 1, 2, 3, 4, 5, 6, 7];

export const eightHealthy: Scene = {
  id: 'eight-healthy',
  title: message('scenes.eightHealthyTitle'),
  description: message('scenes.eightHealthyDescription'),
  driverVersion: '580.159.04',
  cudaVersion: '13.0',
  cards: cardsOf(a100, gpuIndices.length),
  programs: torchrunJob({
    key: 'pretrain',
    script: ['pretrain.py', '--config', 'configs/llama-1b.yaml'],
    gpuIndices,
    masterPort: 29_500,
    workersPerRank: 2,
  }),
  processesAt: (seconds) =>
    gpuIndices.map((gpuIndex) =>
      onCard({
        program: `pretrain.rank${gpuIndex}`,
        gpuIndex,
        usedMiB: 61_426 + (gpuIndex === 0 ? 18 : 0),
        utilizationPercent: 96 + 3 * wave(seconds, gpuIndex),
      }),
    ),
  conditionAt: () => healthyCard,
  failureAt: () => null,
};
