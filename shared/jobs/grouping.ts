/**
 * Processes as training jobs: the ranks of one run with their launcher and data-loader workers, a notebook kernel
 * with what it started, everything else alone. Two runs of one script stay apart, also when their launchers are dead.
 */
import { assembleJob, type GpuHold } from './assembleJob';
import { containerOf, monitorNames, programOf, type Program } from './program';
import type { Job, ProcessFacts } from './types';
import { Union } from './union';

export interface GroupingQuestion {
  /** Processes on cards and their relatives. */
  readonly facts: readonly ProcessFacts[];
  /** What nvidia-smi lists, one entry a process and card. */
  readonly holds: readonly GpuHold[];
  /** nvidia-smi's index of the card behind `/dev/nvidiaN`. */
  readonly gpuIndexByMinor: ReadonlyMap<number, number>;
  /** The jobs of the tick before, whose ids stay with their processes. */
  readonly previous: readonly Job[];
  /** The user that Headroom runs as; null where there is no such number. */
  readonly ownUid: number | null;
}

/** A process with what the rules ask of it again and again. */
export interface Candidate {
  readonly facts: ProcessFacts;
  readonly program: Program;
  readonly parent: Candidate | null;
  /** nvidia-smi lists it. */
  readonly onCard: boolean;
}

/** Every job that holds a card: listed by nvidia-smi, or with the device files of a CUDA context open. */
export function groupJobs(question: GroupingQuestion): readonly Job[] {
  const candidates = candidatesOf(question);
  const union = new Union();
  for (const candidate of candidates.values()) joinParent(union, candidate);
  const seeds = [...candidates.values()].filter(
    (candidate) => candidate.onCard || hasContextOpen(candidate.facts),
  );
  joinRuns(union, seeds);
  joinOrphans(union, seeds);
  joinDesktops(union, seeds);

  const seedSets = new Set(seeds.map(({ facts }) => union.find(facts.pid)));
  const groups = new Map<number, Candidate[]>();
  for (const candidate of candidates.values()) {
    const set = union.find(candidate.facts.pid);
    if (!seedSets.has(set)) continue;
    const group = groups.get(set);
    if (group === undefined) groups.set(set, [candidate]);
    else group.push(candidate);
  }
  const jobs = [...groups.values()].map((group) => assembleJob(group, question));
  return keepIds(jobs, question.previous).sort(
    (a, b) => (a.startedAt ?? Infinity) - (b.startedAt ?? Infinity) || a.id.localeCompare(b.id),
  );
}

function candidatesOf({ facts, holds }: GroupingQuestion): ReadonlyMap<number, Candidate> {
  const listed = new Set(holds.map(({ pid }) => pid));
  const byPid = new Map(facts.map((fact) => [fact.pid, fact]));
  const candidates = new Map<number, Candidate>();
  const build = (fact: ProcessFacts, depth: number): Candidate => {
    const known = candidates.get(fact.pid);
    if (known !== undefined) return known;
    const above = fact.parentPid === null ? undefined : byPid.get(fact.parentPid);
    const candidate = {
      facts: fact,
      program: programOf(fact),
      // A pid that was reused in mid-reading could make a circle; no real tree is that deep.
      parent: above === undefined || above === fact || depth > 64 ? null : build(above, depth + 1),
      onCard: listed.has(fact.pid),
    };
    candidates.set(fact.pid, candidate);
    return candidate;
  };
  for (const fact of facts) build(fact, 0);
  return candidates;
}

/**
 * A CUDA context holds a card's file and nvidia-uvm; a tool that only asks NVML does not open nvidia-uvm. A forked
 * data-loader worker inherits both and pins the memory of its dead parent.
 */
export function hasContextOpen({ openDevices, name }: ProcessFacts): boolean {
  return (
    openDevices !== null &&
    !monitorNames.has(name) &&
    openDevices.includes('/dev/nvidia-uvm') &&
    openDevices.some((device) => /^\/dev\/nvidia\d+$/.test(device))
  );
}

function joinParent(union: Union, candidate: Candidate): void {
  const { parent } = candidate;
  if (parent === null) return;
  if (belongsToParent(candidate, parent)) union.join(candidate.facts.pid, parent.facts.pid);
  // `torchrun --no-python run.sh`: the shell between a launcher and its rank belongs to both.
  else if (parent.program.kind === 'shell' && parent.parent?.program.kind === 'launcher') {
    union.join(candidate.facts.pid, parent.facts.pid);
    union.join(parent.facts.pid, parent.parent.facts.pid);
  }
}

/** Whether a process is part of its parent's job rather than one that the parent only happened to start. */
function belongsToParent(child: Candidate, parent: Candidate): boolean {
  if (containerOf(child.facts.cgroup) !== containerOf(parent.facts.cgroup)) return false;
  switch (parent.program.kind) {
    case 'launcher':
    case 'notebook':
    case 'spawned':
      return true;
    case 'shell':
    case 'service':
    case 'desktop':
      return false;
    case 'python':
      // A fork keeps the command line; a sweep's driver starts other scripts, each a job of its own.
      return parent.onCard || child.program.kind !== 'python' || sameCommand(child.facts, parent.facts);
    case 'other':
      return parent.onCard;
  }
}

function sameCommand(left: ProcessFacts, right: ProcessFacts): boolean {
  return (
    left.command !== null && right.command !== null && left.command.join('\0') === right.command.join('\0')
  );
}

/** How far apart the ranks of one run start at most, where nothing better than the rendezvous ties them together. */
const startSpreadSeconds = 60;

/** Ranks of one run, by what its launcher gave to all of them; their parents may be dead. */
function joinRuns(union: Union, seeds: readonly Candidate[]): void {
  joinAll(
    union,
    groupBy(seeds, ({ facts }) => strongRunKey(facts)),
  );
  for (const run of groupBy(seeds, ({ facts }) => rendezvousKey(facts))) {
    // Two runs may use one port after each other: a rank that is there twice, or a late start, begins the next run.
    let members: Candidate[] = [];
    for (const candidate of [...run].sort((a, b) => (a.facts.startedAt ?? 0) - (b.facts.startedAt ?? 0))) {
      const first = members[0];
      if (first !== undefined && (startsLate(candidate, first) || ranksClash(union, candidate, members)))
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
function ranksClash(union: Union, candidate: Candidate, members: readonly Candidate[]): boolean {
  return (
    candidate.onCard &&
    members.some(
      ({ facts, onCard }) =>
        onCard &&
        facts.environment?.rank === candidate.facts.environment?.rank &&
        union.find(facts.pid) !== union.find(candidate.facts.pid),
    )
  );
}

/** torchrun makes a folder for each run; a Slurm step has its own number. TORCHELASTIC_RUN_ID is `none` for all. */
function strongRunKey({ environment, cgroup }: ProcessFacts): string | null {
  if (environment === null) return null;
  if (environment.torchelasticRunFolder !== null)
    return `folder ${containerOf(cgroup)} ${environment.torchelasticRunFolder}`;
  const { slurmJobId, slurmStepId, rank, worldSize } = environment;
  return slurmJobId !== null && slurmStepId !== null && rank !== null && (worldSize ?? 1) > 1
    ? `slurm ${slurmJobId}.${slurmStepId}`
    : null;
}

function rendezvousKey(facts: ProcessFacts): string | null {
  const { environment, uid, cgroup } = facts;
  if (environment === null || strongRunKey(facts) !== null) return null;
  const { rank, worldSize, masterAddress, masterPort } = environment;
  if (rank === null || worldSize === null || worldSize < 2 || masterPort === null) return null;
  return [containerOf(cgroup), uid, masterAddress, masterPort, worldSize].join(' ');
}

/** Processes of one dead parent: same session and process group, same command line, nobody above them any more. */
function joinOrphans(union: Union, seeds: readonly Candidate[]): void {
  const orphans = seeds.filter(
    ({ facts, parent }) => facts.parentPid === 1 || parent?.program.kind === 'service',
  );
  joinAll(
    union,
    groupBy(orphans, ({ facts }) =>
      facts.command === null || facts.processGroup === null
        ? null
        : [facts.uid, facts.session, facts.processGroup, ...facts.command].join('\0'),
    ),
  );
}

/** The screen's programs of one user count as one. */
function joinDesktops(union: Union, seeds: readonly Candidate[]): void {
  const desktop = seeds.filter(({ program }) => program.kind === 'desktop');
  joinAll(
    union,
    groupBy(desktop, ({ facts }) => `desktop ${facts.uid}`),
  );
}

function groupBy(
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

function joinAll(union: Union, groups: readonly (readonly Candidate[])[]): void {
  for (const [first, ...rest] of groups)
    if (first !== undefined) for (const other of rest) union.join(first.facts.pid, other.facts.pid);
}

/** A job that shares a process with one of the tick before keeps its id, so that it stays selected and coloured. */
function keepIds(jobs: readonly Job[], previous: readonly Job[]): Job[] {
  const idOfProcess = new Map<string, string>();
  for (const job of previous)
    for (const { process } of job.members)
      if (process.startTime !== null) idOfProcess.set(`${process.pid}-${process.startTime}`, job.id);
  const taken = new Set<string>();
  return jobs.map((job) => {
    const ids = job.members.map(({ process }) => idOfProcess.get(`${process.pid}-${process.startTime}`));
    const id = ids.find((candidate) => candidate !== undefined && !taken.has(candidate)) ?? job.id;
    taken.add(id);
    return id === job.id ? job : { ...job, id };
  });
}
