import { message } from '../../i18n/message';
import type { Rule } from '../rule';

/** What is seen of such an end is shown by the doctor: the same ends, by the same test. */
export const diedOnFullCard: Rule<'died-on-full-card'> = {
  name: 'died-on-full-card',
  title: message('alerts.ruleDiedOnFullCard'),
  severity: 'critical',
  minimumSeconds: 0,
  view: 'doctor',
  aboveCards: true,
  repeats: true,
  conditions: ({ oomExits }) =>
    oomExits.map(({ pid, gpuIndex, jobId, name, usedBytes, totalBytes }) => ({
      subject: `${pid}/${gpuIndex}`,
      phase: 'event',
      gpuIndex,
      jobId,
      jobTitle: name,
      text: message('alerts.diedOnFullCard', {
        job: name,
        card: gpuIndex,
        used: usedBytes,
        total: totalBytes,
      }),
    })),
};
