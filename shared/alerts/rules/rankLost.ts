import { message } from '../../i18n/message';
import { onJob } from '../condition';
import type { Rule } from '../rule';

/**
 * Ranks that are gone while the others hold their cards: these wait in a collective that never ends, often at 100 %. When a
 * training ends its ranks leave one after another; a rank that still writes a checkpoint makes no job suspect.
 */
export const rankLost: Rule<'rank-lost'> = {
  name: 'rank-lost',
  title: message('alerts.ruleRankLost'),
  severity: 'warning',
  minimumSeconds: 30,
  aboveCards: true,
  conditions: ({ snapshot }) =>
    snapshot.jobs
      .filter(
        ({ verdict, memoryBytes, reasons }) =>
          verdict === 'suspect' &&
          (memoryBytes ?? 0) > 0 &&
          reasons.some(({ sign }) => sign === 'ranks-missing'),
      )
      .map((job) => onJob(job, message('alerts.rankLost', { job: job.title, held: job.memoryBytes }))),
};
