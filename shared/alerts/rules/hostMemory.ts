import { message } from '../../i18n/message';
import { phaseOf } from '../condition';
import type { Rule } from '../rule';

/** The kernel ends a process of its own choice once nothing is left. */
export const hostMemory: Rule<'host-memory'> = {
  name: 'host-memory',
  title: message('alerts.ruleHostMemory'),
  severity: 'critical',
  minimumSeconds: 10,
  aboveCards: true,
  conditions: ({ snapshot, thresholds }) => {
    const { memoryTotalBytes: total, memoryAvailableBytes: available, topProcesses } = snapshot.host;
    if (total === null || available === null || total === 0) return [];
    const phase = phaseOf(100 * (1 - available / total), thresholds.hostMemoryPercent);
    if (phase === null) return [];
    const largest = topProcesses[0];
    const job = snapshot.jobs.find(({ members }) =>
      members.some(({ process }) => process.pid === largest?.pid),
    );
    return [
      {
        subject: null,
        phase,
        gpuIndex: null,
        jobId: job?.id ?? null,
        jobTitle: job?.title ?? null,
        text: message('alerts.hostMemory', {
          left: available,
          largest: largest?.name ?? null,
          held: largest?.residentBytes ?? null,
        }),
      },
    ];
  },
};
