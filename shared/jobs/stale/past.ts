import { sumOfKnown } from '../../numbers';
import { programOf } from '../program';
import type { Job, JobMember, ProcessFacts, ProcessIdentity } from '../types';

interface LauncherPast extends Pick<ProcessIdentity, 'pid'> {
  readonly startTime: number | null;
  /** Its program is one that stays as long as its ranks do (torchrun, mpirun, …), not a script that starts and leaves. */
  readonly stays: boolean;
}

/** What is remembered of a job between two Snapshots. */
export interface JobPast {
  readonly firstSeenAt: number;
  /** The launcher when it was last seen alive; null where none was ever seen. */
  readonly launcher: LauncherPast | null;
  readonly launcherLostAt: number | null;
  /** Since when a process on a card has waited in the kernel at every look; null where none does. */
  readonly uninterruptibleSince: number | null;
  /** Since when it is made of workers whose parent is dead; null where it is not. */
  readonly workersAloneSince: number | null;
  /** Since when a process that has ended (a zombie, or a pid that none has) holds a card; null where none does. */
  readonly deadHolderSince: number | null;
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
 * cards was busy: only all three together at rest are idleness.
 */
export function remember(
  before: JobPast | undefined,
  job: Job,
  now: number,
  elapsedSeconds: number,
  busy: boolean,
): JobPast {
  const launcher = job.members.find(({ role }) => role === 'launcher')?.process ?? null;
  const cpuSeconds = sumOfKnown(job.members.map(({ process }) => process.cpuSeconds));
  const ioBytes = sumOfKnown(job.members.map(({ process }) => process.ioBytes));
  const first = before === undefined;
  const lost = !first && before.launcher !== null && launcher?.pid !== before.launcher.pid;
  return {
    firstSeenAt: before?.firstSeenAt ?? now,
    launcher:
      launcher === null ? (before?.launcher ?? null) : launcherPast(launcher, before?.launcher ?? null),
    launcherLostAt:
      launcher !== null ? null : lost ? (before.launcherLostAt ?? now) : (before?.launcherLostAt ?? null),
    uninterruptibleSince: job.members.some(isStuck) ? (before?.uninterruptibleSince ?? now) : null,
    // At the first look of all nobody knows since when; they may have been alone for days.
    workersAloneSince: areWorkersAlone(job)
      ? (before?.workersAloneSince ?? (elapsedSeconds === 0 ? 0 : now))
      : null,
    deadHolderSince: job.members.some(isDeadHolder)
      ? (before?.deadHolderSince ?? (elapsedSeconds === 0 && job.members.some(isZombieHolder) ? 0 : now))
      : null,
    ranksSeen: Math.max(before?.ranksSeen ?? 0, ranksOf(job).length),
    lastActiveAt:
      first || isActive(before, cpuSeconds, ioBytes, elapsedSeconds, busy) ? now : before.lastActiveAt,
    cpuSeconds,
    ioBytes,
  };
}

function launcherPast(process: ProcessFacts, before: LauncherPast | null): LauncherPast {
  const { pid, startTime } = process;
  if (before !== null && before.pid === pid && before.startTime === startTime) return before;
  return { pid, startTime, stays: programOf(process).kind === 'launcher' };
}

function isStuck({ process, cards }: JobMember): boolean {
  return process.state === 'D' && cards.length > 0;
}

/** Whether a job is nothing but data-loader workers or spawned children, of which some have no parent in it any more. */
function areWorkersAlone(job: Job): boolean {
  // A dead parent that nvidia-smi still lists is none. Most jobs have another member, and are done with here.
  if (!job.members.every((member) => isChildOfSomebody(member) || isGoneHolder(member))) return false;
  const members = job.members.filter((member) => !isGoneHolder(member));
  const held = new Set(members.map(({ process }) => process.pid));
  return members.some(({ process }) => process.parentPid === null || !held.has(process.parentPid));
}

/** A process that exists only to serve its parent: by its title, or as Python's multiprocessing starts it. */
function isChildOfSomebody({ process }: JobMember): boolean {
  return /^pt_data_worker/.test(process.name) || programOf(process).kind === 'spawned';
}

/** A pid on a card that no process has. */
export function isGoneHolder({ process: { startTime, unreadable }, cards }: JobMember): boolean {
  return startTime === null && cards.length > 0 && unreadable.some(({ reason }) => reason === 'gone');
}

function isZombieHolder({ process, cards }: JobMember): boolean {
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
