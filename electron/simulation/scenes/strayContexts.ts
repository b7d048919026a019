/** Four ranks without `set_device`: each also opens a context on card 0, which so holds three strangers. */
import { message } from '../../../shared/i18n/message';
import { cardsOf, rtx4090 } from '../cards';
import { torchrunJob } from '../programs';
import { healthyCard, onCard, wave, type ProcessMoment, type Scene } from '../scene';

const gpuIndices = [0, 1, 2, 3];
const rankMiB = 18_560;
const strayContextMiB = 486;

const moment = (rank: number, gpuIndex: number, usedMiB: number, utilizationPercent: number): ProcessMoment =>
  onCard({ program: `train.rank${rank}`, gpuIndex, usedMiB, utilizationPercent });

export const strayContexts: Scene = {
  id: 'stray-contexts',
  title: message('scenes.strayContextsTitle'),
  description: message('scenes.strayContextsDescription'),
  driverVersion: '570.124.06',
  cudaVersion: '12.8',
  cards: cardsOf(rtx4090, gpuIndices.length),
  programs: torchrunJob({
    key: 'train',
    script: ['train_ddp.py', '--resume', 'last.pt'],
    gpuIndices,
    masterPort: 29_502,
    workersPerRank: 1,
    strayDevices: [0],
  }),
  processesAt: (seconds) => [
    ...gpuIndices.map((gpuIndex) => moment(gpuIndex, gpuIndex, rankMiB, 95 + 4 * wave(seconds, gpuIndex))),
    ...gpuIndices.slice(1).map((rank) => moment(rank, 0, strayContextMiB, 0)),
  ],
  conditionAt: () => healthyCard,
  failureAt: () => null,
};
