import { describe, expect, it } from 'vitest';
import { endingPlan } from '../../../../../shared/jobs/stale/ending';
import { isFreeable } from '../../../../../shared/jobs/stale/freeing';
import { wholeWorld } from '../../../../../shared/jobs/world';
import { judgeJobs, noPasts } from '../../../../../shared/jobs/stale/judge';
import { jobsOf } from '../facts';
import { reports } from './reports';

const protection = { uid: 1000, ownPids: new Set([7]) };

describe('leftovers as people reported them', () => {
  it.each(reports)('$what', ({ table, holds, subject, verdict, ends, after = 0, livingContainers }) => {
    const jobs = jobsOf(table, holds);
    const question = {
      jobs,
      busyCards: new Map<number, number>(),
      listeningPorts: null,
      livingContainers: livingContainers === undefined ? null : new Set(livingContainers),
      world: wholeWorld,
    };
    const first = judgeJobs(noPasts, { ...question, now: 1000 });
    const judged = after === 0 ? first : judgeJobs(first.memory, { ...question, now: 1000 + after });
    const job = judged.jobs.find(({ members }) => members.some(({ process }) => process.pid === subject));
    const plan = job !== undefined && isFreeable(job) ? endingPlan(job, protection).ends : [];
    expect([job?.verdict, plan.map(({ process }) => process.pid)]).toEqual([verdict, ends]);
  });
});
