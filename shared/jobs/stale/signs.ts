import { message } from '../../i18n/message';
import { keptContainer } from '../containers';
import type { Job, JobMember, ProcessFacts, StaleReason } from '../types';
import { isGoneHolder, ranksOf, type JobPast } from './past';

/** Everything a sign is judged by: the job, its past, and the world around it. */
export interface Scene {
  readonly job: Job;
  readonly past: JobPast;
  readonly now: number;
  readonly jobs: readonly Job[];
  /** Ports that something on this machine listens on; null where that could not be read. */
  readonly listeningPorts: ReadonlySet<number> | null;
  /** Ids of the containers that live; null where that could not be read. */
  readonly livingContainers: ReadonlySet<string> | null;
}

/** One sign that a job is a leftover. `proof`: it can make a job stale; without one of these nothing is. */
export interface Sign extends StaleReason {
  readonly proof: boolean;
}

/**
 * What speaks for a leftover, strongest first. Each weight says how often the sign alone was right in the reports that
 * the design rests on; having parent 1 is not among the proofs, since services, nohup and setsid have it too.
 */
export function signsFor(scene: Scene): readonly Sign[] {
  return [
    launcherGone(scene),
    containerGone(scene),
    workersAlone(scene),
    leaderIsZombie(scene),
    ownerGone(scene),
    ranksMissing(scene),
    portSilent(scene),
    newerGeneration(scene),
    unlistedDevices(scene),
    uninterruptible(scene),
    idleForLong(scene),
  ].filter((sign) => sign !== null);
}

function launcherGone({ job, past, now }: Scene): Sign | null {
  if (job.members.some(({ role }) => role === 'launcher')) return null;
  if (past.launcher !== null) {
    const seconds = now - (past.launcherLostAt ?? now);
    const text = message('stale.launcherGone', { pid: String(past.launcher.pid), since: seconds });
    // A script that starts a program and leaves has done its work; ranks need who started them.
    const needed = past.launcher.stays || isRun(job);
    return { sign: 'launcher-gone', text, weight: needed ? 0.95 : 0.5, proof: needed };
  }
  // torchrun is the parent of its ranks as long as it lives, and gives them this variable.
  const ranks = ranksOf(job);
  const launched = ranks.filter(({ process }) => (process.environment?.torchelasticRunId ?? null) !== null);
  if (launched.length === 0 || launched.length < ranks.length) return null;
  return {
    sign: 'launcher-gone',
    text: message('stale.launcherGoneBefore', { count: launched.length }),
    weight: 0.9,
    proof: true,
  };
}

/** Processes with ranks of one run, as some launcher numbered them. */
function isRun(job: Job): boolean {
  const ranks = ranksOf(job);
  return (
    ranks.length > 0 &&
    ranks.every(({ process }) => process.environment !== null && (process.environment.worldSize ?? 1) > 1)
  );
}

function containerGone({ job, livingContainers }: Scene): Sign | null {
  const gone = job.members.some(({ process: { cgroup } }) => {
    if (cgroup?.endsWith(' (deleted)') === true) return true;
    if (livingContainers === null) return false;
    const container = keptContainer(cgroup);
    return container !== null && !livingContainers.has(container);
  });
  return gone
    ? { sign: 'container-gone', text: message('stale.containerGone'), weight: 0.9, proof: true }
    : null;
}

/** PyTorch's workers look every five seconds whether their parent lives (MP_STATUS_CHECK_INTERVAL), and then end. */
const workersEndSeconds = 10;

/** Data-loader workers or spawned children whose parent is dead: nothing will ever ask them for work again. */
function workersAlone({ job, past: { workersAloneSince }, now }: Scene): Sign | null {
  if (workersAloneSince === null || now - workersAloneSince < workersEndSeconds) return null;
  return {
    sign: 'parent-gone',
    text: message('stale.workersAlone', { count: job.members.length }),
    weight: 0.9,
    proof: true,
  };
}

/** nvidia-smi lists a process for a moment after its end, and a driver takes seconds to give back a hundred gigabytes. */
const lingerSeconds = 10;

function leaderIsZombie({ job, past: { deadHolderSince }, now }: Scene): Sign | null {
  const zombie = job.members.find(({ process, cards }) => process.state === 'Z' && cards.length > 0);
  if (zombie === undefined || deadHolderSince === null || now - deadHolderSince < lingerSeconds) return null;
  const text = message('stale.zombie', { pid: String(zombie.process.pid) });
  return { sign: 'zombie', text, weight: 0.9, proof: true };
}

/** Memory of a pid that no process has: a child or thread of it keeps it, or the driver does. */
function ownerGone({ job, past: { deadHolderSince }, now }: Scene): Sign | null {
  const owner = job.members.find(isGoneHolder);
  if (owner === undefined || deadHolderSince === null || now - deadHolderSince < lingerSeconds) return null;
  const text = message('stale.ownerGone', { pid: String(owner.process.pid) });
  return { sign: 'owner-gone', text, weight: 0.9, proof: true };
}

/** A read from a slow disk takes seconds; what waits in the kernel for longer hangs. */
const stuckSeconds = 30;

function uninterruptible({ past: { uninterruptibleSince }, now }: Scene): Sign | null {
  if (uninterruptibleSince === null || now - uninterruptibleSince < stuckSeconds) return null;
  const text = message('stale.uninterruptible', { since: now - uninterruptibleSince });
  return { sign: 'uninterruptible', text, weight: 0.2, proof: false };
}

/** How long ranks may take to appear one after another. */
const startSeconds = 60;

function ranksMissing({ job, past, now }: Scene): Sign | null {
  const ranks = ranksOf(job);
  const expected = ranks
    .map(({ process }) => process.environment?.localWorldSize ?? null)
    .reduce<number>((most, size) => Math.max(most, size ?? 0), past.ranksSeen);
  if (ranks.length === 0 || ranks.length >= expected) return null;
  if (past.ranksSeen < expected && now - newestStart(ranks, past) < startSeconds) return null;
  return {
    sign: 'ranks-missing',
    text: message('stale.ranksMissing', { count: ranks.length, expected }),
    weight: 0.5,
    proof: false,
  };
}

/** When the newest of these ranks started, or was seen at the latest: one look at an old job tells that no more will come. */
function newestStart(ranks: readonly JobMember[], { firstSeenAt }: JobPast): number {
  const starts = ranks.map(({ process }) => process.startedAt ?? firstSeenAt);
  return Math.min(firstSeenAt, Math.max(...starts));
}

function portSilent({ job, listeningPorts }: Scene): Sign | null {
  const environment = ranksOf(job)[0]?.process.environment;
  const port = environment?.masterPort ?? null;
  const isLocal = environment?.worldSize === environment?.localWorldSize;
  if (listeningPorts === null || port === null || !isLocal || listeningPorts.has(port)) return null;
  return {
    sign: 'port-silent',
    text: message('stale.portSilent', { port: String(port) }),
    weight: 0.4,
    proof: false,
  };
}

/** The same command of the same user was started again later and lives: this one is what the first try left. */
function newerGeneration({ job, jobs, past }: Scene): Sign | null {
  const command = commandOf(job);
  const startedAt = job.startedAt ?? past.firstSeenAt;
  if (command === null || job.members.some(({ role }) => role === 'launcher')) return null;
  const newer = jobs.find(
    (other) =>
      other.id !== job.id &&
      other.user === job.user &&
      commandOf(other) === command &&
      (other.startedAt ?? 0) > startedAt + 1 &&
      sharesCard(other, job),
  );
  return newer === undefined
    ? null
    : { sign: 'newer-run', text: message('stale.newerRun', { job: newer.title }), weight: 0.3, proof: false };
}

function commandOf(job: Job): string | null {
  const worker = job.members.find(({ role }) => role === 'rank' || role === 'process');
  return worker?.process.command?.join('\0') ?? null;
}

function sharesCard(left: Job, right: Job): boolean {
  const cards = new Set(left.members.flatMap((member) => member.cards.map(({ gpuIndex }) => gpuIndex)));
  return right.members.some((member) => member.cards.some(({ gpuIndex }) => cards.has(gpuIndex)));
}

/**
 * Cards opened by a process that nvidia-smi does not list: it inherited them from a parent. Where that parent is dead
 * and the process has done nothing for a while, nobody will ever use what it pins.
 */
function unlistedDevices({ job, past, now }: Scene): Sign | null {
  if (!job.members.some(({ cards }) => cards.length > 0)) return null;
  if (job.members.some(({ cards }) => cards.some(({ usedBytes }) => usedBytes !== null))) return null;
  const idle = now - past.lastActiveAt;
  const isOrphan = job.members.every(
    ({ process }) => process.startTime !== null && (process.parentPid === 1 || !isTop(process, job)),
  );
  const proof = isOrphan && idle >= forgottenSeconds;
  const weight = proof ? 0.9 : isOrphan && now - past.firstSeenAt >= lingerSeconds ? 0.5 : 0.3;
  return { sign: 'device-open-unlisted', text: message('stale.unlisted'), weight, proof };
}

/** A worker that waits for its parent does nothing at all; one that lives is asked for a batch within a minute. */
const forgottenSeconds = 60;

function isTop({ parentPid }: ProcessFacts, job: Job): boolean {
  return !job.members.some(({ process }) => process.pid === parentPid);
}

/** A person may look at a plot for a while; after this long without a sign of life, idleness is worth a mention. */
const longIdleSeconds = 1800;

function idleForLong({ past, now }: Scene): Sign | null {
  const seconds = now - past.lastActiveAt;
  return seconds < longIdleSeconds
    ? null
    : { sign: 'idle-long', text: message('stale.idleLong', { since: seconds }), weight: 0.3, proof: false };
}
