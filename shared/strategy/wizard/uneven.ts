import type { Imbalance, WorkstationState } from '../../snapshot/types';
import type { Job } from '../../jobs/types';

/** Kinds that another way to train would cure. */
const plannableKinds = ['everything-on-one-card', 'data-parallel-master'];

/** The job that a plan could take the place of, better spread; null where spreading it anew would not help. */
export function plannableJob(
  { jobIds, kind }: Imbalance,
  { jobs }: Pick<WorkstationState, 'jobs'>,
): Job | null {
  if (!plannableKinds.includes(kind)) return null;
  return jobs.find(({ id }) => id === jobIds[0]) ?? null;
}
