/** Two 24 GB cards, one process with everything on cuda:0: it fills the first card, dies, and is tried again. */
import { message } from '../../../shared/i18n/message';
import { cardsOf, rtx3090 } from '../cards';
import { desktopPrograms, program, python } from '../programs';
import { along, healthyCard, onCard, wave, type Scene } from '../scene';

const attemptSeconds = 90;
const diesAfterSeconds = 66;

/** Weights of 13 billion parameters do not fit in bf16; the process crawls into the wall with the first steps. */
const usedMiB = [
  [0, 412],
  [2, 2_950],
  [9, 22_480],
  [12, 22_480],
  [64, 23_890],
  [diesAfterSeconds, 23_996],
] as const;

/** The scene opens on a first attempt that is already well on its way. */
const sinceAttempt = (seconds: number): number => (seconds + 20) % attemptSeconds;

export const two3090Oom: Scene = {
  id: 'two-3090-oom',
  title: message('scenes.two3090OomTitle'),
  description: message('scenes.two3090OomDescription'),
  driverVersion: '550.163.01',
  cudaVersion: '12.4',
  cards: cardsOf(rtx3090, 2, { displayOn: 0 }),
  programs: [
    ...desktopPrograms,
    program({
      key: 'train',
      command: [python, 'finetune.py', '--model', 'Llama-2-13b-hf', '--device', 'cuda:0'],
      environment: { PYTORCH_CUDA_ALLOC_CONF: '' },
      openDevices: [0, 1],
      aliveAt: (seconds) => sinceAttempt(seconds) < diesAfterSeconds,
    }),
    ...[0, 1, 2, 3].map((worker) =>
      program({
        key: `train.worker${worker}`,
        parent: 'train',
        command: [python, 'finetune.py', '--model', 'Llama-2-13b-hf', '--device', 'cuda:0'],
        shortName: 'pt_data_worker',
        openDevices: [0],
        aliveAt: (seconds) => sinceAttempt(seconds) < diesAfterSeconds,
      }),
    ),
  ],
  processesAt(seconds) {
    const attempt = sinceAttempt(seconds);
    return [
      onCard({ program: 'xorg', gpuIndex: 0, type: 'G', usedMiB: 167, utilizationPercent: 1 }),
      onCard({ program: 'gnome-shell', gpuIndex: 0, type: 'G', usedMiB: 81, utilizationPercent: 0 }),
      onCard({ program: 'xorg', gpuIndex: 1, type: 'G', usedMiB: 4, utilizationPercent: 0 }),
      onCard({
        program: 'train',
        gpuIndex: 0,
        usedMiB: Math.round(along(usedMiB, attempt)),
        utilizationPercent: attempt < 9 ? 12 : 93 + 5 * wave(seconds, 0),
      }),
    ];
  },
  conditionAt: () => healthyCard,
  failureAt: () => null,
};
