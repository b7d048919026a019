/** The members of a job that no other member started: what is known of their parents tells whether the job is an orphan. */
import type { Job, JobMember } from '../types';

export function isLiving({ process: { startTime, state } }: JobMember): boolean {
  return startTime !== null && state !== 'Z' && state !== 'X';
}

export function livingMembers(job: Job): readonly JobMember[] {
  return job.members.filter(isLiving);
}

/** Living members whose parent is not a living member; none for a job of nothing but dead processes. */
export function topsOf(job: Job): readonly JobMember[] {
  return livingMembers(job).filter(({ origin }) => origin !== 'member');
}

/** Whether whoever started it has ended, for all of its tops; false where that cannot be seen of one of them. */
export function isOrphaned(job: Job): boolean {
  const tops = topsOf(job);
  return tops.length > 0 && tops.every(({ origin }) => origin === 'adopted');
}
