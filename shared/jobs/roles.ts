/** Who is the launcher, who a rank, who a worker. */
import { ancestorsOf, isLauncher, type Candidate } from './candidate';
import type { JobRole } from './types';

/** The part that a process plays among the processes of its job. */
export function roleOf(candidate: Candidate, group: ReadonlySet<Candidate>): JobRole {
  const { facts, program, onCard } = candidate;
  const rank = facts.environment?.rank ?? null;
  const above = ancestorsOf(candidate).filter((ancestor) => group.has(ancestor));
  // A fork of a kernel looks like a kernel.
  if (program.kind === 'notebook')
    return above.some((ancestor) => ancestor.program.kind === 'notebook') ? 'worker' : 'notebook';
  if (program.kind === 'launcher') return 'launcher';
  if (rank !== null && isWrapperOfRank(candidate, rank, group)) return 'process';
  if (rank !== null) return isWorkerOfRank(candidate, rank, above, group) ? 'worker' : 'rank';
  if (onCard)
    return above.some((ancestor) => isSpawner(ancestor) || isLauncher(ancestor)) ? 'rank' : 'process';
  if (above.some((ancestor) => ancestor.onCard || hasRank(ancestor))) return 'worker';
  return [...group].some((other) => other.onCard && ancestorsOf(other).includes(candidate))
    ? 'launcher'
    : 'process';
}

/** `timeout`, `numactl` or a script between the launcher and its rank carries the rank's variables, too. */
function isWrapperOfRank(candidate: Candidate, rank: number, group: ReadonlySet<Candidate>): boolean {
  if (candidate.onCard) return false;
  for (const other of group)
    if (other.onCard && other.facts.environment?.rank === rank && ancestorsOf(other).includes(candidate))
      return true;
  return false;
}

/** A worker repeats the rank's number in its inherited environment, but another process of that number is the rank. */
function isWorkerOfRank(
  { facts, onCard }: Candidate,
  rank: number,
  above: readonly Candidate[],
  group: ReadonlySet<Candidate>,
): boolean {
  const sameRank = above.filter(
    (ancestor) => ancestor.facts.environment?.rank === rank && ancestor.program.kind !== 'launcher',
  );
  if (onCard) return sameRank.some((ancestor) => ancestor.onCard);
  if (sameRank.length > 0) return true;
  if (/data_?worker|loader/i.test(facts.name)) return true;
  return [...group].some(
    (other) => other.onCard && other.facts.environment?.rank === rank && other.facts.pid !== facts.pid,
  );
}

function hasRank({ facts }: Candidate): boolean {
  return (facts.environment?.rank ?? null) !== null;
}

/** A Python program without a rank of its own, under which the processes on cards are its ranks (mp.spawn). */
export function isSpawner(candidate: Candidate): boolean {
  return !candidate.onCard && candidate.program.kind === 'python' && !hasRank(candidate);
}
