/** One of two trainings keeps a little more memory with every step, evenly, until its card is full. */
import { message } from '../../../shared/i18n/message';
import { cardsOf, rtx3090 } from '../cards';
import { program, python } from '../programs';
import { healthyCard, onCard, wave, type Scene } from '../scene';

const startMiB = 15_800;
/** About ten minutes to a full card. */
const leakMiBPerSecond = 13;
const fullMiB = 24_180;
/** The process dies when the card is full, and is started again after a while. */
const lifeSeconds = (fullMiB - startMiB) / leakMiBPerSecond;
const cycleSeconds = lifeSeconds + 30;

export const slowLeak: Scene = {
  id: 'slow-leak',
  title: message('scenes.slowLeakTitle'),
  description: message('scenes.slowLeakDescription'),
  driverVersion: '550.163.01',
  cudaVersion: '12.4',
  cards: cardsOf(rtx3090, 2),
  programs: [
    program({
      key: 'leaking',
      command: [python, 'train_unet.py', '--log-losses'],
      openDevices: [0],
      aliveAt: (seconds) => seconds % cycleSeconds < lifeSeconds,
    }),
    program({ key: 'steady', command: [python, 'train_resnet.py', '--amp'], openDevices: [1] }),
  ],
  processesAt: (seconds) => [
    onCard({
      program: 'leaking',
      gpuIndex: 0,
      usedMiB: Math.min(fullMiB, Math.round(startMiB + leakMiBPerSecond * (seconds % cycleSeconds))),
      utilizationPercent: 94 + 4 * wave(seconds, 0),
    }),
    onCard({
      program: 'steady',
      gpuIndex: 1,
      usedMiB: 11_236,
      utilizationPercent: 89 + 6 * wave(seconds, 1),
    }),
  ],
  conditionAt: () => healthyCard,
  failureAt: () => null,
};
