/** The driver was updated under a running kernel module: nvidia-smi refuses to start until the machine is put right. */
import { message } from '../../../shared/i18n/message';
import { cardsOf, rtx4090 } from '../cards';
import { program, python } from '../programs';
import { healthyCard, onCard, wave, type Scene } from '../scene';

/** When the mismatch ends, as after the reboot that puts it right. */
const mismatchEndsSeconds = 30;

export const driverMismatch: Scene = {
  id: 'driver-mismatch',
  title: message('scenes.driverMismatchTitle'),
  description: message('scenes.driverMismatchDescription', { seconds: mismatchEndsSeconds }),
  driverVersion: '570.124.06',
  cudaVersion: '12.8',
  cards: cardsOf(rtx4090, 2),
  programs: [
    program({
      key: 'train',
      command: [python, 'train_vit.py', '--epochs', '90'],
      openDevices: [0],
      aliveAt: () => true,
    }),
  ],
  processesAt: (seconds) => [
    onCard({
      program: 'train',
      gpuIndex: 0,
      usedMiB: 14_208,
      utilizationPercent: 88 + 8 * wave(seconds, 1),
    }),
  ],
  conditionAt: () => healthyCard,
  failureAt: (seconds) =>
    seconds < mismatchEndsSeconds
      ? {
          kind: 'message',
          text: 'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 570.124\n',
          // NVML_ERROR_LIB_RM_VERSION_MISMATCH, which nvidia-smi gives as its exit status.
          exitCode: 18,
        }
      : null,
};
