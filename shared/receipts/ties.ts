/** Which plan a job follows. */
import type { Job } from '../jobs/types';
import type { JobTie } from './state';

/** The plan whose launch files started the job, by the mark in the environment of its processes; null: none says so. */
export function launchedPlanId(job: Job): string | null {
  for (const { process } of job.members) {
    const id = process.environment?.headroomPlan ?? null;
    if (id !== null) return id;
  }
  return null;
}

/**
 * The plan's folder, where the job was started from it: launch files go there first. Null for another user's job, whose
 * folder is none of ours to read, and for one that was tied by hand.
 */
export function launchFolder(job: Job, planId: string): string | null {
  if (job.ownedByMe !== true) return null;
  const marked = job.members.find(({ process }) => process.environment?.headroomPlan === planId);
  return marked?.process.workingFolder ?? null;
}

/**
 * What a person said of the job counts; otherwise the mark of its launch files, where that plan is known.
 * @param said by job id: the plan that a person chose, null where the job shall not be compared
 */
export function tieOf(
  job: Job,
  said: ReadonlyMap<string, string | null>,
  isKnown: (planId: string) => boolean,
): JobTie | null {
  const chosen = said.get(job.id);
  if (chosen !== undefined)
    return chosen === null || !isKnown(chosen) ? null : { jobId: job.id, planId: chosen, by: 'person' };
  const planId = launchedPlanId(job);
  return planId === null || !isKnown(planId) ? null : { jobId: job.id, planId, by: 'launch' };
}
