/** Which processes are of one run where no living launcher says so. */
import { ancestorsOf, isLauncher, type Candidate } from './candidate';
import { containerOf } from './program';
import type { ProcessFacts } from './types';
import type { Union } from './union';

/** How far apart the ranks of one run start at most, where nothing better than the rendezvous ties them together. */
const startSpreadSeconds = 60;

/** Ranks of one run, by what its launcher gave to all of them; their parents may be dead. */
export function joinRuns(union: Union, seeds: readonly Candidate[]): void {
  joinAll(
    union,
    groupBy(seeds, ({ facts }) => strongRunKey(facts)),
  );
  // A living launcher has tied its ranks together already; a leftover rank of an older run must not join them.
  const leftover = seeds.filter((candidate) => !ancestorsOf(candidate).some(isLauncher));
  for (const run of groupBy(leftover, ({ facts }) => rendezvousKey(facts))) {
    // Two runs may use one port after each other: a rank that is there twice, or a late start, begins the next run.
    let members: Candidate[] = [];
    for (const candidate of [...run].sort((a, b) => (a.facts.startedAt ?? 0) - (b.facts.startedAt ?? 0))) {
      const first = members[0];
      if (first !== undefined && (startsLate(candidate, first) || ranksClash(candidate, members)))
        members = [];
      members.push(candidate);
      union.join(candidate.facts.pid, (members[0] ?? candidate).facts.pid);
    }
  }
}

function startsLate(candidate: Candidate, first: Candidate): boolean {
  return (candidate.facts.startedAt ?? 0) - (first.facts.startedAt ?? 0) > startSpreadSeconds;
}

/** Another process of that rank holds a card already; workers repeat their rank's number but are not listed. */
function ranksClash(candidate: Candidate, members: readonly Candidate[]): boolean {
  const rank = candidate.facts.environment?.rank;
  return candidate.onCard && members.some(({ facts, onCard }) => onCard && facts.environment?.rank === rank);
}

/** What ranks of one run share; null where nothing is known that would tell two runs apart. */
export function runKey(facts: ProcessFacts): string | null {
  return strongRunKey(facts) ?? rendezvousKey(facts);
}

/**
 * torchrun makes a folder for each run; a Slurm step has its own number. TORCHELASTIC_RUN_ID is `none` for all. Everybody
 * can give a process of theirs somebody else's variables, so no key holds across users.
 */
function strongRunKey({ environment, cgroup, uid }: ProcessFacts): string | null {
  if (environment === null || uid === null) return null;
  if (environment.torchelasticRunFolder !== null)
    return `folder ${uid} ${containerOf(cgroup)} ${environment.torchelasticRunFolder}`;
  const { slurmJobId, slurmStepId, rank, worldSize } = environment;
  return slurmJobId !== null && slurmStepId !== null && rank !== null && (worldSize ?? 1) > 1
    ? `slurm ${uid} ${containerOf(cgroup)} ${slurmJobId}.${slurmStepId}`
    : null;
}

function rendezvousKey(facts: ProcessFacts): string | null {
  const { environment, uid, cgroup, session } = facts;
  if (environment === null || uid === null || strongRunKey(facts) !== null) return null;
  const { rank, worldSize, masterAddress, masterPort } = environment;
  if (rank === null || worldSize === null || worldSize < 2) return null;
  // mpirun gives no port; its ranks share its session.
  if (masterPort === null && (session === null || session <= 0)) return null;
  return [containerOf(cgroup), uid, masterAddress, masterPort ?? `session ${session}`, worldSize].join(' ');
}

/** The candidates by key; those without one are left out. */
export function groupBy(
  candidates: readonly Candidate[],
  keyOf: (candidate: Candidate) => string | null,
): readonly (readonly Candidate[])[] {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const key = keyOf(candidate);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [candidate]);
    else group.push(candidate);
  }
  return [...groups.values()];
}

/** Joins the candidates of each group. */
export function joinAll(union: Union, groups: readonly (readonly Candidate[])[]): void {
  for (const [first, ...rest] of groups)
    if (first !== undefined) for (const other of rest) union.join(first.facts.pid, other.facts.pid);
}
