/** The members of a job that no other member started: what is known of their parents tells whether the job is an orphan. */
import type { Job, JobMember } from '../types';

interface Parts {
  readonly living: readonly JobMember[];
  readonly tops: readonly JobMember[];
}

/** Kept with the job, which never changes: a dozen signs ask for them in a tick. */
const known = new WeakMap<Job, Parts>();

function partsOf(job: Job): Parts {
  const before = known.get(job);
  if (before !== undefined) return before;
  const living = job.members.filter(isLiving);
  const parts = { living, tops: living.filter(({ origin }) => origin !== 'member') };
  known.set(job, parts);
  return parts;
}

function isLiving({ process: { startTime, state } }: JobMember): boolean {
  return startTime !== null && state !== 'Z' && state !== 'X';
}

export function livingMembers(job: Job): readonly JobMember[] {
  return partsOf(job).living;
}

/** Living members whose parent is not a member; none for a job of nothing but dead processes. */
export function topsOf(job: Job): readonly JobMember[] {
  return partsOf(job).tops;
}

/** Whether whoever started it has ended, for all of its tops; false where that cannot be seen of one of them. */
export function isOrphaned(job: Job): boolean {
  const tops = topsOf(job);
  return tops.length > 0 && tops.every(({ origin }) => origin === 'adopted');
}
