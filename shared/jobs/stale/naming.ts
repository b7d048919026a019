/** How a job is called on a command line. */
import type { Job } from '../types';

/**
 * The name that `headroom stale` prints for a job and `headroom free` takes. On a machine it is the job's id, made of a
 * process that still lives. A scene starts new processes at every call, so there the title names it, with a number
 * where several have the same.
 */
export function jobName(job: Job, jobs: readonly Job[], simulated: boolean): string {
  if (!simulated) {
    const identities = job.members.map(({ process }) => `${process.pid}-${process.startTime ?? 'unknown'}`);
    return identities.includes(job.id) ? job.id : (identities[0] ?? job.id);
  }
  const alike = jobs.filter(({ title }) => title === job.title);
  const place = alike.findIndex(({ id }) => id === job.id);
  return place <= 0 ? job.title : `${job.title}#${place + 1}`;
}

/** The jobs that a word means: by name or id, by a member's pid or identity, else by title. */
export function jobsCalled(word: string, jobs: readonly Job[], simulated: boolean): readonly Job[] {
  const exact = jobs.filter(
    (job) =>
      job.id === word ||
      jobName(job, jobs, simulated) === word ||
      job.members.some(
        ({ process: { pid, startTime } }) =>
          startTime !== null && (word === String(pid) || word === `${pid}-${startTime}`),
      ),
  );
  return exact.length > 0 ? exact : jobs.filter(({ title }) => title === word);
}
