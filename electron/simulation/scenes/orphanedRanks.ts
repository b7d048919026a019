/** torchrun was killed; two of its ranks keep their memory and do nothing, beside a job that works. */
import { message } from '../../../shared/i18n/message';
import { cardsOf, rtx4090 } from '../cards';
import { program, python, torchrunJob } from '../programs';
import { healthyCard, onCard, wave, type ProcessMoment, type Scene } from '../scene';

/** When the launcher is killed: soon, so that the ranks have already been left behind. */
const launcherDiesSeconds = 3;

const compute = (key: string, gpuIndex: number, usedMiB: number, utilizationPercent: number): ProcessMoment =>
  onCard({ program: key, gpuIndex, usedMiB, utilizationPercent });

export const orphanedRanks: Scene = {
  id: 'orphaned-ranks',
  title: message('scenes.orphanedRanksTitle'),
  description: message('scenes.orphanedRanksDescription'),
  driverVersion: '570.124.06',
  cudaVersion: '12.8',
  cards: cardsOf(rtx4090, 4),
  programs: [
    ...torchrunJob({
      key: 'left',
      script: ['train_gpt.py', '--config', 'small.yaml'],
      gpuIndices: [0, 1],
      masterPort: 29_500,
      workersPerRank: 2,
      launcherAliveAt: (seconds) => seconds < launcherDiesSeconds,
      rankAliveAt: () => true,
    }),
    program({ key: 'busy', command: [python, 'finetune_bert.py', '--epochs', '3'], openDevices: [2] }),
  ],
  processesAt: (seconds) => {
    const dead = seconds >= launcherDiesSeconds;
    return [
      compute('left.rank0', 0, 19_846, dead ? 0 : 97),
      compute('left.rank1', 1, 19_642, dead ? 0 : 96),
      compute('busy', 2, 9_412, 91 + 6 * wave(seconds, 2)),
    ];
  },
  conditionAt: () => healthyCard,
  failureAt: () => null,
};
