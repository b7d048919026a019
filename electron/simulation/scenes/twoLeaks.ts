/** Two trainings on one card each keep a little more memory with every step; the card is full when both have taken what is left. */
import { message } from '../../../shared/i18n/message';
import { cardsOf, rtx3090 } from '../cards';
import { program, python } from '../programs';
import { healthyCard, onCard, wave, type Scene } from '../scene';

/** Each by itself would have twice the time that both have: 336 s to a full card. */
const leaks = [
  { key: 'unet', script: 'train_unet.py', startMiB: 6_200 },
  { key: 'whisper', script: 'finetune_whisper.py', startMiB: 9_900 },
] as const;
const leakMiBPerSecond = 12;
const lifeSeconds = 336;
/** Both die when the card is full, and are started again after a while. */
const cycleSeconds = lifeSeconds + 30;

export const twoLeaks: Scene = {
  id: 'two-leaks',
  title: message('scenes.twoLeaksTitle'),
  description: message('scenes.twoLeaksDescription'),
  driverVersion: '550.163.01',
  cudaVersion: '12.4',
  cards: cardsOf(rtx3090, 1),
  programs: leaks.map(({ key, script }) =>
    program({
      key,
      command: [python, script, '--log-losses'],
      openDevices: [0],
      aliveAt: (seconds) => seconds % cycleSeconds < lifeSeconds,
    }),
  ),
  processesAt: (seconds) =>
    leaks.map(({ key, startMiB }, place) =>
      onCard({
        program: key,
        gpuIndex: 0,
        usedMiB: Math.round(startMiB + leakMiBPerSecond * Math.min(seconds % cycleSeconds, lifeSeconds)),
        utilizationPercent: 47 + 2 * wave(seconds, place),
      }),
    ),
  conditionAt: () => healthyCard,
  failureAt: () => null,
};
