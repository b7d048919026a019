/** One group of processes as a Job: roles, title, sums. */
import { addKnown, sumOfKnown } from '../numbers';
import { ancestorsOf, isLauncher, type Candidate } from './candidate';
import type { GroupingQuestion } from './grouping';
import { parentageOf } from './parentage';
import { baseName, containerOf, type Program } from './program';
import { isSpawner, roleOf } from './roles';
import type { Job, JobMember, JobRole, ProcessFacts } from './types';

/** Memory of one process on one card as nvidia-smi lists it; null bytes where the driver does not say. */
export interface GpuHold {
  readonly pid: number;
  readonly gpuIndex: number;
  readonly usedBytes: number | null;
  /** C, G or C+G. */
  readonly type: string | null;
  readonly name: string | null;
}

/** The Job of a group that belongs together; later rules judge its verdict. */
export function assembleJob(group: readonly Candidate[], question: GroupingQuestion): Job {
  const pids = new Set(group.map(({ facts }) => facts.pid));
  const holds = question.holds.filter(({ pid }) => pids.has(pid));
  const inGroup = new Set(group);
  const members = group
    .map((candidate) => memberOf(candidate, inGroup, holds, question))
    .sort(byRoleThenRank);
  const oldest = oldestOf(group);
  const ranks = members.filter(({ role }) => role === 'rank');
  return {
    id: `${oldest.facts.pid}-${oldest.facts.startTime ?? 'unknown'}`,
    title: titleOf(group, members, holds, question.previous),
    user: oneOrNull(group.map(({ facts }) => facts.user)),
    kind: kindOf(group, holds),
    members,
    worldSize:
      group.map(({ facts }) => facts.environment?.worldSize ?? null).find((size) => size !== null) ??
      (ranks.length > 1 ? ranks.length : null),
    memoryBytes: sumOfKnown(members.flatMap(({ cards }) => cards.map(({ usedBytes }) => usedBytes))),
    residentBytes: sumOfKnown(group.map(({ facts }) => facts.residentBytes)),
    cpuPercent: sumOfKnown(group.map(({ facts }) => facts.cpuPercent)),
    startedAt: oldest.facts.startedAt,
    verdict: 'healthy',
    idleSince: null,
    reasons: [],
    against: [],
    ownedByMe: ownedBy(group, question.ownUid),
  };
}

function memberOf(
  candidate: Candidate,
  group: ReadonlySet<Candidate>,
  holds: readonly GpuHold[],
  question: GroupingQuestion,
): JobMember {
  const role = roleOf(candidate, group);
  return {
    process: candidate.facts,
    role,
    rank: role === 'launcher' ? null : (candidate.facts.environment?.rank ?? null),
    origin:
      candidate.parent !== null && group.has(candidate.parent)
        ? 'member'
        : parentageOf(candidate, question.world),
    listed: candidate.onCard,
    cards: cardsOf(candidate.facts, holds, question.gpuIndexByMinor),
  };
}

/**
 * The cards of a member: those on which nvidia-smi lists it. Where it lists nobody of the whole job, the cards whose
 * device files are open, with unknown bytes: such a process pins memory that no table shows.
 */
function cardsOf(
  facts: ProcessFacts,
  holds: readonly GpuHold[],
  gpuIndexByMinor: ReadonlyMap<number, number>,
): JobMember['cards'] {
  if (holds.length === 0)
    return (facts.openDevices ?? []).flatMap((device) => {
      const minor = /^\/dev\/nvidia(\d+)$/.exec(device)?.[1];
      const gpuIndex = minor === undefined ? undefined : gpuIndexByMinor.get(Number(minor));
      return gpuIndex === undefined ? [] : [{ gpuIndex, usedBytes: null }];
    });
  const bytes = new Map<number, number | null>();
  for (const hold of holds.filter(({ pid }) => pid === facts.pid)) {
    const before = bytes.get(hold.gpuIndex);
    bytes.set(hold.gpuIndex, before === undefined ? hold.usedBytes : addKnown(before, hold.usedBytes));
  }
  return [...bytes]
    .map(([gpuIndex, usedBytes]) => ({ gpuIndex, usedBytes }))
    .sort((a, b) => a.gpuIndex - b.gpuIndex);
}

function kindOf(group: readonly Candidate[], holds: readonly GpuHold[]): Job['kind'] {
  // `accelerate launch` and `deepspeed` may start torchrun's own launcher below them: the topmost names the kind.
  const launchers = group.filter(isLauncher);
  const top = launchers.find(
    (candidate) => !ancestorsOf(candidate).some((above) => launchers.includes(above)),
  );
  if (top?.program.kind === 'launcher') return top.program.launcher;
  if (group.some(({ program }) => program.kind === 'notebook')) return 'notebook';
  const environments = group.flatMap(({ facts }) => facts.environment ?? []);
  if (environments.some((environment) => environment.torchelasticRunId !== null)) return 'torchrun';
  if (
    environments.some(
      ({ slurmStepId, rank, worldSize }) => slurmStepId !== null && rank !== null && (worldSize ?? 1) > 1,
    )
  )
    return 'slurm';
  if (environments.some(({ rank, worldSize }) => rank !== null && (worldSize ?? 1) > 1)) return 'spawn';
  if (
    group.some(
      (candidate) =>
        candidate.onCard && ancestorsOf(candidate).some((above) => group.includes(above) && isSpawner(above)),
    )
  )
    return 'spawn';
  const graphicsOnly = holds.length > 0 && holds.every(({ type }) => type === 'G');
  if (graphicsOnly || group.every(({ program }) => program.kind === 'desktop')) return 'desktop';
  return group.some(({ facts }) => containerOf(facts.cgroup) !== null) ? 'container' : 'single';
}

/** The script where there is one, else the name that says most. */
function titleOf(
  group: readonly Candidate[],
  members: readonly JobMember[],
  holds: readonly GpuHold[],
  previous: readonly Job[],
): string {
  const desktop = group.filter(({ program, onCard }) => program.kind === 'desktop' && onCard);
  if (desktop.length > 0)
    return desktop.map(({ facts }) => baseName(facts.command?.[0] ?? facts.name)).join(', ');
  const programs = new Map(group.map(({ facts, program }) => [facts.pid, program]));
  const notebook = members.find(({ process }) => programs.get(process.pid)?.kind === 'notebook');
  if (notebook !== undefined) return baseName(notebook.process.workingFolder ?? '') || 'ipykernel';
  // What a launcher was told to run, else what the ranks run, else what started them.
  for (const pick of [isLauncherProgram, isNumbered, isAny])
    for (const member of members) {
      const program = programs.get(member.process.pid);
      if (program === undefined || !pick(member, program)) continue;
      if ((program.kind === 'python' || program.kind === 'launcher') && program.script !== null)
        return program.script;
    }
  const spawned = members.find(({ process }) => programs.get(process.pid)?.kind === 'spawned');
  // Python starts these without a word of the script: the title that they had with it, or the folder.
  if (spawned !== undefined && /^(?:python|pypy)/.test(baseName(spawned.process.command?.[0] ?? '')))
    return (
      titleBefore(members, previous) ??
      `${baseName(spawned.process.workingFolder ?? '') || 'python'} (multiprocessing)`
    );
  const first = members[0]?.process;
  const listed = holds.map(({ name }) => name).find((name) => name !== null) ?? null;
  const command = first?.command?.[0];
  // A title that a program gave itself is one word with blanks in it, not a path.
  if (command !== undefined) return /^[\w./\\:-]+$/.test(command) ? baseName(command) : command.slice(0, 80);
  return listed === null ? (first?.name ?? '?') : baseName(listed);
}

type Pick = (member: JobMember, program: Program) => boolean;
const isLauncherProgram: Pick = (_member, { kind }) => kind === 'launcher';
const isNumbered: Pick = ({ rank }) => rank !== null;
const isAny: Pick = () => true;

function titleBefore(members: readonly JobMember[], previous: readonly Job[]): string | null {
  const identities = new Set(members.map(({ process }) => `${process.pid}-${process.startTime}`));
  const before = previous.find((job) =>
    job.members.some(({ process }) => identities.has(`${process.pid}-${process.startTime}`)),
  );
  return before?.title ?? null;
}

const roleOrder: readonly JobRole[] = ['notebook', 'process', 'launcher', 'rank', 'worker'];

function byRoleThenRank(left: JobMember, right: JobMember): number {
  return (
    roleOrder.indexOf(left.role) - roleOrder.indexOf(right.role) ||
    (left.rank ?? Infinity) - (right.rank ?? Infinity) ||
    left.process.pid - right.process.pid ||
    0
  );
}

function oldestOf(group: readonly Candidate[]): Candidate {
  const [first, ...rest] = group;
  if (first === undefined) throw new Error('a job has at least one process');
  const age = ({ facts }: Candidate): number => facts.startTime ?? Infinity;
  return rest.reduce(
    (oldest, candidate) =>
      age(candidate) < age(oldest) ||
      (age(candidate) === age(oldest) && candidate.facts.pid < oldest.facts.pid)
        ? candidate
        : oldest,
    first,
  );
}

function oneOrNull(values: readonly (string | null)[]): string | null {
  const known = new Set(values.filter((value) => value !== null));
  return known.size === 1 ? ([...known][0] ?? null) : null;
}

function ownedBy(group: readonly Candidate[], ownUid: number | null): boolean | null {
  if (ownUid === null) return null;
  if (group.some(({ facts }) => facts.uid !== null && facts.uid !== ownUid)) return false;
  return group.every(({ facts }) => facts.uid === ownUid) ? true : null;
}
