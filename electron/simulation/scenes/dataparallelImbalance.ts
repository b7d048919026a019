/** torch.nn.DataParallel: one process on four cards, the first of which gathers outputs and gradients. */
import { message } from '../../../shared/i18n/message';
import { cardsOf, rtx3090 } from '../cards';
import { program, python } from '../programs';
import { healthyCard, onCard, wave, type Scene } from '../scene';

const usedMiB = [22_310, 12_846, 12_838, 12_842];
const loadPercent = [96, 63, 61, 62];

export const dataparallelImbalance: Scene = {
  id: 'dataparallel-imbalance',
  title: message('scenes.dataparallelImbalanceTitle'),
  description: message('scenes.dataparallelImbalanceDescription'),
  driverVersion: '550.163.01',
  cudaVersion: '12.4',
  cards: cardsOf(rtx3090, 4),
  programs: [
    program({ key: 'train', command: [python, 'train_dp.py', '--batch', '256'], openDevices: [0, 1, 2, 3] }),
    ...[0, 1].map((worker) =>
      program({
        key: `train.worker${worker}`,
        parent: 'train',
        command: [python, 'train_dp.py', '--batch', '256'],
        shortName: 'pt_data_worker',
        openDevices: [0, 1, 2, 3],
      }),
    ),
  ],
  processesAt: (seconds) =>
    usedMiB.map((used, gpuIndex) =>
      onCard({
        program: 'train',
        gpuIndex,
        usedMiB: used,
        utilizationPercent: (loadPercent[gpuIndex] ?? 0) + 3 * wave(seconds, gpuIndex),
      }),
    ),
  conditionAt: () => healthyCard,
  failureAt: () => null,
};
