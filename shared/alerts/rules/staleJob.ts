import { message } from '../../i18n/message';
import { onJob } from '../condition';
import type { Rule } from '../rule';

export const staleJob: Rule<'stale-job'> = {
  name: 'stale-job',
  title: message('alerts.ruleStaleJob'),
  severity: 'warning',
  minimumSeconds: 5,
  aboveCards: true,
  conditions: ({ snapshot }) =>
    snapshot.jobs
      .filter(({ verdict, memoryBytes }) => verdict === 'stale' && (memoryBytes ?? 0) > 0)
      .map((job) => onJob(job, message('alerts.staleJob', { job: job.title, held: job.memoryBytes }))),
};
