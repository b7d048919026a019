import { sumOfKnown } from '../../numbers';
import { isWorkerName, programOf } from '../program';
import type { Job, JobMember } from '../types';
import { isOrphaned, livingMembers, topsOf } from './tops';

/** Who started a job, when last seen alive. */
interface Starter {
  readonly pid: number;
  /** It is one that stays as long as its ranks do (torchrun, mpirun, …), not a script that starts and leaves. */
  readonly stays: boolean;
  /** It is a program and a member of the job, not the shell or service above it. */
  readonly isProgram: boolean;
}

/** What is remembered of a job between two Snapshots. */
export interface JobPast {
  readonly firstSeenAt: number;
  /** Null where none was ever seen. */
  readonly starter: Starter | null;
  /** When its processes were first seen with another parent, as Linux gives them one when theirs has ended. */
  readonly starterLostAt: number | null;
  /** Since when a process on a card has waited in the kernel at every look; null where none does. */
  readonly uninterruptibleSince: number | null;
  /** Since when it is made of workers whose parent is dead; null where it is not. */
  readonly workersAloneSince: number | null;
  /** Since when a process that has ended (a zombie, or a pid that none has) holds a card; null where none does. */
  readonly deadHolderSince: number | null;
  /** Pids of members below a holder that has ended, by their parents when last seen. */
  readonly descendantsOfDead: ReadonlySet<number>;
  readonly parents: ReadonlyMap<number, number>;
  /** When it last computed: a card of it was busy and its processor time grew. */
  readonly computedAt: number | null;
  readonly computedPercent: number | null;
  /** The most ranks that were seen at once. */
  readonly ranksSeen: number;
  readonly lastActiveAt: number;
  readonly cpuSeconds: number | null;
  readonly ioBytes: number | null;
}

/** A job that uses less than this share of one core does nothing but wait. */
const idleCpuShare = 0.02;
/** A job that reads and writes less than this in a second does nothing but log. */
const idleBytesPerSecond = 64 * 1024;

/**
 * The past of a job with one more moment. It was active when it used the processor, read or wrote, or when one of its
 * cards was busy: only all three together at rest are idleness. `busyCards`: percent by card, null where it does not say.
 */
export function remember(
  before: JobPast | undefined,
  job: Job,
  now: number,
  elapsedSeconds: number,
  busyCards: ReadonlyMap<number, number | null>,
): JobPast {
  const cpuSeconds = sumOfKnown(job.members.map(({ process }) => process.cpuSeconds));
  const ioBytes = sumOfKnown(job.members.map(({ process }) => process.ioBytes));
  const first = before === undefined;
  const starter = starterOf(job);
  const lost = !first && before.starter !== null && starter === null && haveLeft(job, before.starter);
  const busy = job.members.some(({ cards }) =>
    cards.some(({ gpuIndex }) => (busyCards.get(gpuIndex) ?? null) !== null),
  );
  const computes = job.members.filter((member) => workOf(member, busyCards) === 'computes');
  return {
    firstSeenAt: before?.firstSeenAt ?? now,
    starter: starter ?? before?.starter ?? null,
    starterLostAt:
      starter === null && (lost || (before?.starterLostAt ?? null) !== null)
        ? (before?.starterLostAt ?? now)
        : null,
    uninterruptibleSince: job.members.some(isStuck) ? (before?.uninterruptibleSince ?? now) : null,
    // At the first look of all nobody knows since when; they may have been alone for days.
    workersAloneSince: areWorkersAlone(job)
      ? (before?.workersAloneSince ?? (elapsedSeconds === 0 ? 0 : now))
      : null,
    deadHolderSince: job.members.some(isDeadHolder)
      ? (before?.deadHolderSince ?? (elapsedSeconds === 0 && job.members.some(isZombieHolder) ? 0 : now))
      : null,
    ...deadFamily(before, job),
    computedAt: computes.length > 0 ? now : (before?.computedAt ?? null),
    computedPercent:
      computes.length > 0 ? mostPercent(computes, busyCards) : (before?.computedPercent ?? null),
    ranksSeen: Math.max(before?.ranksSeen ?? 0, ranksOf(job).length),
    lastActiveAt:
      first || isActive(before, cpuSeconds, ioBytes, elapsedSeconds, busy) ? now : before.lastActiveAt,
    cpuSeconds,
    ioBytes,
  };
}

/** The launcher among its members, else the living parent that all of its tops have outside of it. */
function starterOf(job: Job): Starter | null {
  const launcher = job.members.find(({ role, process }) => role === 'launcher' && process.state !== 'Z');
  if (launcher !== undefined) {
    const stays = programOf(launcher.process).kind === 'launcher';
    return { pid: launcher.process.pid, stays, isProgram: true };
  }
  const tops = topsOf(job);
  const [pid, ...others] = [...new Set(tops.map(({ process }) => process.parentPid))];
  const live = tops.length > 0 && tops.every(({ origin }) => origin === 'started');
  return live && pid !== undefined && pid !== null && others.length === 0
    ? { pid, stays: false, isProgram: false }
    : null;
}

/** Whether all tops have another parent now, which Linux gives to a process only when its parent has ended. */
function haveLeft(job: Job, { pid }: Starter): boolean {
  const tops = topsOf(job);
  return (
    tops.length > 0 &&
    !livingMembers(job).some(({ process }) => process.pid === pid) &&
    tops.every(({ process }) => process.parentPid !== null && process.parentPid !== pid)
  );
}

type Work = 'computes' | 'rests' | 'unknown';

/** Whether a process works on a card on its own account; `unknown` after a first look at a card that is busy. */
function workOf({ process, cards }: JobMember, busyCards: ReadonlyMap<number, number | null>): Work {
  if (process.startTime === null || process.state === 'Z') return 'rests';
  if (!cards.some(({ gpuIndex }) => busyCards.has(gpuIndex))) return 'rests';
  if (process.cpuPercent === null) return 'unknown';
  return process.cpuPercent >= 100 * idleCpuShare ? 'computes' : 'rests';
}

/** A training step, an evaluation or a collective keeps a process from its card or from its processor for so long. */
const workLastsSeconds = 30;

/**
 * How busy the cards are on which the job computes; null where it does not. What a first look cannot tell counts as
 * computing.
 */
export function computingOf(
  job: Job,
  { computedAt, computedPercent }: JobPast,
  now: number,
  busyCards: ReadonlyMap<number, number | null>,
): { readonly percent: number | null } | null {
  if (computedAt !== null && now - computedAt <= workLastsSeconds) return { percent: computedPercent };
  const maybe = job.members.filter((member) => workOf(member, busyCards) === 'unknown');
  return maybe.length === 0 ? null : { percent: mostPercent(maybe, busyCards) };
}

function mostPercent(
  members: readonly JobMember[],
  busyCards: ReadonlyMap<number, number | null>,
): number | null {
  let most: number | null = null;
  for (const { cards } of members)
    for (const { gpuIndex } of cards) {
      const percent = busyCards.get(gpuIndex) ?? null;
      if (percent !== null && (most === null || percent > most)) most = percent;
    }
  return most;
}

/** Whose parent, now or at the last look, is a holder that has ended, and all below them. */
function deadFamily(before: JobPast | undefined, job: Job): Pick<JobPast, 'descendantsOfDead' | 'parents'> {
  const parents = firstParents(before?.parents ?? new Map<number, number>(), job);
  const dead = new Set(job.members.filter(isDeadHolder).map(({ process }) => process.pid));
  if (dead.size === 0) return { descendantsOfDead: nobody, parents };
  const isBelow = (pid: number): boolean => {
    let at = parents.get(pid);
    for (let step = 0; at !== undefined && step <= parents.size; step += 1, at = parents.get(at))
      if (dead.has(at)) return true;
    return false;
  };
  const below = job.members.map(({ process }) => process.pid).filter((pid) => !dead.has(pid) && isBelow(pid));
  return { descendantsOfDead: new Set(below), parents };
}

/** Each member's parent when first seen; the same value while the members stay the same. */
function firstParents(before: ReadonlyMap<number, number>, { members }: Job): ReadonlyMap<number, number> {
  if (before.size === members.length && members.every(({ process }) => before.has(process.pid)))
    return before;
  return new Map(
    members.flatMap(({ process: { pid, parentPid } }) => {
      const parent = before.get(pid) ?? parentPid;
      return parent === null ? [] : [[pid, parent] as const];
    }),
  );
}

const nobody: ReadonlySet<number> = new Set();

function isStuck({ process, cards }: JobMember): boolean {
  return process.state === 'D' && cards.length > 0;
}

/** Whether a job is nothing but data-loader workers or spawned children, of which nobody's parent lives any more. */
function areWorkersAlone(job: Job): boolean {
  // A dead parent that nvidia-smi still lists is none. Most jobs have another member, and are done with here.
  return livingMembers(job).every(isChildOfSomebody) && isOrphaned(job);
}

/** A process that exists only to serve its parent: by its title, or as Python's multiprocessing starts it. */
function isChildOfSomebody({ process }: JobMember): boolean {
  return isWorkerName(process.name) || programOf(process).kind === 'spawned';
}

/** A pid on a card that no process has. */
export function isGoneHolder({ process: { startTime, unreadable }, cards }: JobMember): boolean {
  return startTime === null && cards.length > 0 && unreadable.some(({ reason }) => reason === 'gone');
}

export function isZombieHolder({ process, cards }: JobMember): boolean {
  return process.state === 'Z' && cards.length > 0;
}

const isDeadHolder = (member: JobMember): boolean => isGoneHolder(member) || isZombieHolder(member);

export function ranksOf(job: Job): readonly JobMember[] {
  return job.members.filter(({ role }) => role === 'rank');
}

function isActive(
  before: JobPast,
  cpuSeconds: number | null,
  ioBytes: number | null,
  elapsedSeconds: number,
  busy: boolean,
): boolean {
  if (busy || rose(before.cpuSeconds, cpuSeconds, idleCpuShare * elapsedSeconds)) return true;
  return rose(before.ioBytes, ioBytes, idleBytesPerSecond * elapsedSeconds);
}

function rose(before: number | null, now: number | null, least: number): boolean {
  return before !== null && now !== null && now - before > least;
}
