import { message } from '../../i18n/message';
import { phaseOf } from '../condition';
import type { Rule } from '../rule';

/**
 * Data-loader workers hand their batches over in /dev/shm, and so does NCCL; a container has 64 MiB of it where nothing else is
 * said. A worker that finds none left ends with a bus error, which does not name the cause
 * (https://github.com/pytorch/pytorch#docker-image asks for --ipc=host or --shm-size).
 */
const fullPercent = 90;

export const sharedMemory: Rule<'shared-memory'> = {
  name: 'shared-memory',
  title: message('alerts.ruleSharedMemory'),
  severity: 'warning',
  minimumSeconds: 5,
  aboveCards: true,
  conditions: ({ snapshot: { host } }) => {
    const { shmTotalBytes: total, shmUsedBytes: used } = host;
    if (total === null || used === null || total === 0) return [];
    const percent = (100 * used) / total;
    const phase = phaseOf(percent, fullPercent);
    if (phase === null) return [];
    return [
      {
        subject: null,
        phase,
        gpuIndex: null,
        jobId: null,
        jobTitle: null,
        text: message('alerts.sharedMemory', { percent, left: total - used }),
      },
    ];
  },
};
