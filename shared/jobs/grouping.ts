/**
 * Processes as training jobs: the ranks of one run with their launcher and data-loader workers, a notebook kernel
 * with what it started, everything else alone. Two runs of one script stay apart, also when their launchers are dead.
 */
import { assembleJob, type GpuHold } from './assembleJob';
import { candidatesOf, hasContextOpen, type Candidate } from './candidate';
import { containerOf, isWorkerName } from './program';
import { parentageOf } from './parentage';
import { joinStarters } from './rankChains';
import { groupBy, joinAll, joinRuns } from './runs';
import type { Job, ProcessFacts } from './types';
import { Union } from './union';
import type { World } from './world';

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
  readonly world: World;
}

/** Every job that holds a card: listed by nvidia-smi, or with the device files of a CUDA context open. */
export function groupJobs(question: GroupingQuestion): readonly Job[] {
  const candidates = candidatesOf(question.facts, new Set(question.holds.map(({ pid }) => pid)));
  const union = new Union();
  for (const candidate of candidates.values()) joinParent(union, candidate);
  const seeds = [...candidates.values()].filter(
    (candidate) => candidate.onCard || hasContextOpen(candidate.facts),
  );
  joinStarters(union, seeds, question.world);
  joinRuns(union, seeds);
  joinSpawned(union, seeds, question.world);
  joinForks(union, seeds, question.world);
  joinLeftBehind(union, seeds, question);
  joinGoneOwners(union, seeds, question.previous);
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
    case 'init':
    case 'service':
    case 'desktop':
      return false;
    case 'python':
      // A fork keeps the command line; a sweep's driver starts other scripts and launchers, each a job of its own.
      return (
        parent.onCard ||
        !['python', 'launcher'].includes(child.program.kind) ||
        sameCommand(child.facts, parent.facts)
      );
    case 'other':
      return parent.onCard || (child.program.kind === 'spawned' && sameTitles(child.facts, parent.facts));
  }
}

/** `VLLM::Worker_TP0` under `VLLM::EngineCore`: titles of one server. */
function sameTitles(child: ProcessFacts, parent: ProcessFacts): boolean {
  const family = /^\w+::/.exec(child.command?.[0] ?? child.name)?.[0];
  return family !== undefined && (parent.command?.[0] ?? parent.name).startsWith(family);
}

function sameCommand(left: ProcessFacts, right: ProcessFacts): boolean {
  return (
    left.command !== null && right.command !== null && left.command.join('\0') === right.command.join('\0')
  );
}

/**
 * Children of one parent that Python's multiprocessing spawned, or that a server gave its title: by the pipe that they all
 * share, else, once orphaned, by session, process group and folder, as their command lines differ in numbers only.
 */
function joinSpawned(union: Union, seeds: readonly Candidate[], world: World): void {
  const spawned = seeds.filter(({ program }) => program.kind === 'spawned');
  joinAll(
    union,
    groupBy(spawned, ({ facts }) =>
      facts.spawnFamily === null ? null : `${facts.uid} ${containerOf(facts.cgroup)} ${facts.spawnFamily}`,
    ),
  );
  const orphans = spawned.filter(
    (candidate) => candidate.facts.spawnFamily === null && parentageOf(candidate, world) === 'adopted',
  );
  joinAll(
    union,
    groupBy(orphans, ({ facts }) =>
      facts.command === null ? null : `${familyOf(facts)}\0${facts.command.join('\0').replace(/\d+/g, '#')}`,
    ),
  );
}

/**
 * Forks of one dead parent: same session, process group, cards and command line, not listed by nvidia-smi, as they only
 * inherited what it had open. Listed ones are programs of their own: a sweep starts one script many times in one group.
 */
function joinForks(union: Union, seeds: readonly Candidate[], world: World): void {
  const orphans = seeds.filter(
    (candidate) =>
      (!candidate.onCard || isWorkerName(candidate.facts.name)) &&
      parentageOf(candidate, world) === 'adopted',
  );
  joinAll(
    union,
    groupBy(orphans, ({ facts }) =>
      facts.command === null
        ? null
        : [familyOf(facts), facts.environment?.cudaVisibleDevices, ...facts.command].join('\0'),
    ),
  );
}

function familyOf({ uid, session, processGroup, workingFolder, cgroup, pid }: ProcessFacts): string {
  if (session === null || processGroup === null || uid === null) return `alone ${pid}`;
  return [uid, session, processGroup, workingFolder, containerOf(cgroup)].join('\0');
}

/**
 * Children of one process that were one job stay one when it dies: also where another process than pid 1 takes them in,
 * and in the moment in which they are read with a parent that is no longer there.
 */
function joinLeftBehind(
  union: Union,
  seeds: readonly Candidate[],
  { previous, world }: Pick<GroupingQuestion, 'previous' | 'world'>,
): void {
  const jobOf = new Map(
    previous.flatMap(({ id, members }) =>
      members.map(({ process }) => [`${process.pid}-${process.startTime}`, id] as const),
    ),
  );
  joinAll(
    union,
    groupBy(seeds, (candidate) => {
      const { facts, program } = candidate;
      const job = jobOf.get(`${facts.pid}-${facts.startTime}`);
      const words = program.kind === 'spawned' ? ['spawned'] : facts.command;
      if (job === undefined || words === null || parentageOf(candidate, world) === 'started') return null;
      return [job, facts.uid, ...words].join('\0');
    }),
  );
}

/** What a pid without a process holds belongs to those that it was one job with: its workers keep it alive. */
function joinGoneOwners(union: Union, seeds: readonly Candidate[], previous: readonly Job[]): void {
  for (const { facts } of seeds) {
    if (facts.startTime !== null) continue;
    const job = previous.find(({ members }) => members.some(({ process }) => process.pid === facts.pid));
    if (job === undefined) continue;
    const identities = new Set(job.members.map(({ process }) => `${process.pid}-${process.startTime}`));
    for (const other of seeds)
      if (identities.has(`${other.facts.pid}-${other.facts.startTime}`))
        union.join(other.facts.pid, facts.pid);
  }
}

/** The screen's programs of one user count as one. */
function joinDesktops(union: Union, seeds: readonly Candidate[]): void {
  const desktop = seeds.filter(({ program }) => program.kind === 'desktop');
  joinAll(
    union,
    groupBy(desktop, ({ facts }) => `desktop ${facts.uid}`),
  );
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
