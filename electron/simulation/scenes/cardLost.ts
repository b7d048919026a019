/** Card 2 of four falls off the bus in mid-run: nvidia-smi fails for all cards until the lost one is left out. */
import { message } from '../../../shared/i18n/message';
import { cardsOf, rtx3090 } from '../cards';
import { throttle } from '../observe';
import { program, python } from '../programs';
import { healthyCard, onCard, wave, type Scene } from '../scene';

const cardLostSeconds = 12;
const lostGpuIndex = 2;

const gpuIndices = [0, 1, 2, 3];
const usedMiB = [17_344, 17_344, 21_008, 9_870];
const isLost = (seconds: number, gpuIndex: number): boolean =>
  gpuIndex === lostGpuIndex && seconds >= cardLostSeconds;

export const cardLost: Scene = {
  id: 'card-lost',
  title: message('scenes.cardLostTitle'),
  description: message('scenes.cardLostDescription', { card: lostGpuIndex, seconds: cardLostSeconds }),
  driverVersion: '550.163.01',
  cudaVersion: '12.4',
  cards: cardsOf(rtx3090, gpuIndices.length),
  programs: gpuIndices.map((gpuIndex) =>
    program({
      key: `train${gpuIndex}`,
      command: [python, 'train_fold.py', '--fold', String(gpuIndex)],
      openDevices: [gpuIndex],
      // A program whose card is gone gets an error from its next call and ends.
      aliveAt: (seconds) => !isLost(seconds - 2, gpuIndex),
    }),
  ),
  processesAt: (seconds) =>
    gpuIndices.map((gpuIndex) =>
      onCard({
        program: `train${gpuIndex}`,
        gpuIndex,
        usedMiB: usedMiB[gpuIndex] ?? 0,
        utilizationPercent: 93 + 5 * wave(seconds, gpuIndex),
      }),
    ),
  conditionAt: (seconds, gpuIndex) => ({
    ...healthyCard,
    lost: isLost(seconds, gpuIndex),
    // It ran hot before it went.
    extraTemperatureC: gpuIndex === lostGpuIndex ? 17 : 0,
    throttleBits: gpuIndex === lostGpuIndex ? throttle.hwThermal : 0n,
  }),
  failureAt: () => null,
};
