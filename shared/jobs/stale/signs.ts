/** The functions that see what speaks for a leftover; their weights and words are rows of `evidence.ts`. */
import { message, type Message } from '../../i18n/message';
import { keptContainer } from '../containers';
import type { Job, JobMember } from '../types';
import { isWhole, type World } from '../world';
import { forLeftover, type EvidenceFor } from './evidence';
import { isGoneHolder, isZombieHolder, ranksOf, type JobPast } from './past';
import { isOrphaned, livingMembers, topsOf } from './tops';

/** Everything a sign is judged by: the job, its past, and the world around it. */
export interface StaleContext {
  readonly job: Job;
  readonly past: JobPast;
  readonly now: number;
  readonly jobs: readonly Job[];
  /** Ports that something on this machine listens on; null where that could not be read. */
  readonly listeningPorts: ReadonlySet<number> | null;
  /** Ids of the containers that live; null where that could not be read. */
  readonly livingContainers: ReadonlySet<string> | null;
  readonly world: World;
  /** How busy the cards are on which members of it compute, in percent; null percent where the card does not say. */
  readonly computing: { readonly percent: number | null } | null;
}

export interface LeftoverSign {
  readonly row: EvidenceFor;
  readonly text: Message;
}

/** What speaks for a leftover, strongest first; having parent 1 alone is no proof, as services, nohup and setsid have it. */
export function signsOf(scene: StaleContext): readonly LeftoverSign[] {
  return [
    launcherGone(scene),
    containerGone(scene),
    workersAlone(scene),
    deadHolder(scene),
    ranksMissing(scene),
    portSilent(scene),
    newerGeneration(scene),
    unlistedDevices(scene),
    uninterruptible(scene),
    idleForLong(scene),
  ].filter((sign) => sign !== null);
}

/**
 * Who started the job has ended. Seen alive before and gone since, with its processes in other hands, is a proof. Where it
 * was never seen, only ranks that are all there can tell, and only torchrun's, as torchrun never leaves before its ranks.
 */
function launcherGone({ job, past, now, computing }: StaleContext): LeftoverSign | null {
  if (job.members.some(({ role, process }) => role === 'launcher' && process.state !== 'Z')) return null;
  if (past.starter !== null && past.starterLostAt !== null) {
    const values = { pid: String(past.starter.pid), since: now - past.starterLostAt };
    const text = message('stale.launcherGone', values);
    if (past.starter.stays || (past.starter.isProgram && isRun(job)))
      return { row: forLeftover.launcherSeenGone, text };
    if (!isRun(job)) return { row: forLeftover.starterLeft, text };
  }
  const tops = topsOf(job);
  const seemsOrphaned = tops.every(({ origin }) => origin === 'adopted' || origin === 'likely-adopted');
  if (!isRun(job) || tops.length === 0 || !seemsOrphaned) return null;
  const count = ranksOf(job).length;
  const areAllThere = isWholeElasticRun(job);
  if (!isOrphaned(job) && !areAllThere) return null;
  if (!isOrphaned(job) || !areAllThere)
    return { row: forLeftover.ranksAdopted, text: message('stale.ranksAdopted', { count }) };
  return {
    row: computing === null ? forLeftover.launcherGoneBefore : forLeftover.launcherGoneBusy,
    text: message('stale.launcherGoneBefore', { count }),
  };
}

/** Processes with ranks of one run, as some launcher numbered them; torchrun numbers a single one, too. */
export function isRun(job: Job): boolean {
  const ranks = ranksOf(job);
  return (
    ranks.length > 0 &&
    ranks.every(
      ({ process: { environment } }) =>
        environment !== null && ((environment.worldSize ?? 1) > 1 || environment.torchelasticRunId !== null),
    )
  );
}

/** How far apart torchrun starts its ranks at most. */
const elasticSpreadSeconds = 30;

/**
 * Whether these are the ranks that one torchrun started, all of them: each number once, one run folder, one command line,
 * started together, each in a session of its own or all in the launcher's. A program that a rank started in the background
 * has inherited the same variables; it is alone, in the session of its rank, or runs something else.
 */
function isWholeElasticRun(job: Job): boolean {
  const ranks = ranksOf(job);
  const [first] = ranks;
  const environment = first?.process.environment ?? null;
  if (first === undefined || environment === null) return false;
  const { localWorldSize, torchelasticRunId, torchelasticRunFolder } = environment;
  if (torchelasticRunId === null || localWorldSize === null || localWorldSize < 2) return false;
  const numbers = new Set(ranks.map(({ process }) => process.environment?.localRank ?? null));
  if (ranks.length !== localWorldSize || numbers.size !== localWorldSize || numbers.has(null)) return false;
  const isAlike = ({ process }: JobMember): boolean =>
    process.environment?.torchelasticRunFolder === torchelasticRunFolder &&
    process.environment.torchelasticRunId === torchelasticRunId &&
    process.command !== null &&
    process.command.join('\0') === first.process.command?.join('\0');
  const sessions = new Set(ranks.map(({ process }) => process.session));
  // A wrapper between torchrun and its rank leads the session.
  const leaders = new Set(livingMembers(job).map(({ process }) => process.pid));
  const ownSessions = ranks.every(({ process }) => process.session !== null && leaders.has(process.session));
  const starts = ranks.map(({ process }) => process.startedAt ?? NaN);
  return (
    ranks.every(isAlike) &&
    (ownSessions || (sessions.size === 1 && !sessions.has(null))) &&
    Math.max(...starts) - Math.min(...starts) <= elasticSpreadSeconds
  );
}

/** A container that nobody keeps any more; its processes fell to the machine's init. */
function containerGone({ job, livingContainers, world }: StaleContext): LeftoverSign | null {
  const gone = livingMembers(job).some(({ process: { cgroup } }) => {
    if (cgroup?.endsWith(' (deleted)') === true) return true;
    if (livingContainers === null || !isWhole(world)) return false;
    const container = keptContainer(cgroup);
    return container !== null && !livingContainers.has(container);
  });
  return gone && isOrphaned(job)
    ? { row: forLeftover.containerGone, text: message('stale.containerGone') }
    : null;
}

/** PyTorch's workers look every five seconds whether their parent lives (MP_STATUS_CHECK_INTERVAL), and then end. */
const workersEndSeconds = 10;

/** Data-loader workers or spawned children whose parent is dead: nothing will ever ask them for work again. */
function workersAlone({ job, past: { workersAloneSince }, now }: StaleContext): LeftoverSign | null {
  if (workersAloneSince === null || now - workersAloneSince < workersEndSeconds) return null;
  const text = message('stale.workersAlone', { count: livingMembers(job).length });
  return { row: forLeftover.workersAlone, text };
}

/** nvidia-smi lists a process for a moment after its end, and a driver takes seconds to give back a hundred gigabytes. */
const lingerSeconds = 10;

/**
 * Memory of a zombie, or of a pid that no process has: a thread or child of it keeps it, or the driver does. It proves that
 * process's end, and that what hangs on it is left; a parent or a sibling goes on without it.
 */
function deadHolder({
  job,
  past: { deadHolderSince, descendantsOfDead },
  now,
  computing,
}: StaleContext): LeftoverSign | null {
  const dead = job.members.find(isZombieHolder) ?? job.members.find(isGoneHolder);
  if (dead === undefined || deadHolderSince === null || now - deadHolderSince < lingerSeconds) return null;
  const living = livingMembers(job);
  const isAlone = computing === null && living.every(({ process }) => descendantsOfDead.has(process.pid));
  const pid = String(dead.process.pid);
  if (isZombieHolder(dead))
    return {
      row: isAlone ? forLeftover.zombie : forLeftover.zombieAmong,
      text: message('stale.zombie', { pid }),
    };
  return {
    row: isAlone ? forLeftover.ownerGone : forLeftover.ownerGoneAmong,
    text: message('stale.ownerGone', { pid }),
  };
}

/** A read from a slow disk takes seconds; what waits in the kernel for longer hangs. */
const stuckSeconds = 30;

function uninterruptible({ past: { uninterruptibleSince }, now }: StaleContext): LeftoverSign | null {
  if (uninterruptibleSince === null || now - uninterruptibleSince < stuckSeconds) return null;
  const text = message('stale.uninterruptible', { since: now - uninterruptibleSince });
  return { row: forLeftover.uninterruptible, text };
}

/** How long ranks may take to appear one after another. */
const startSeconds = 60;

function ranksMissing({ job, past, now, world }: StaleContext): LeftoverSign | null {
  const ranks = ranksOf(job);
  const expected = ranks
    .map(({ process }) => process.environment?.localWorldSize ?? null)
    .reduce<number>((most, size) => Math.max(most, size ?? 0), past.ranksSeen);
  if (ranks.length === 0 || ranks.length >= expected) return null;
  // Ranks that were never seen may be where nobody can look.
  if (past.ranksSeen < expected && !isWhole(world)) return null;
  if (past.ranksSeen < expected && now - newestStart(ranks, past) < startSeconds) return null;
  const text = message('stale.ranksMissing', { count: ranks.length, expected });
  return { row: past.ranksSeen < expected ? forLeftover.ranksMissing : forLeftover.ranksLost, text };
}

/** When the newest of these ranks started, or was seen at the latest: one look at an old job tells that no more will come. */
function newestStart(ranks: readonly JobMember[], { firstSeenAt }: JobPast): number {
  const starts = ranks.map(({ process }) => process.startedAt ?? firstSeenAt);
  return Math.min(firstSeenAt, Math.max(...starts));
}

function portSilent({ job, listeningPorts, world }: StaleContext): LeftoverSign | null {
  const environment = ranksOf(job)[0]?.process.environment;
  const port = environment?.masterPort ?? null;
  const isLocal = environment?.worldSize === environment?.localWorldSize;
  if (listeningPorts === null || !isWhole(world)) return null;
  if (port === null || !isLocal || listeningPorts.has(port)) return null;
  return { row: forLeftover.portSilent, text: message('stale.portSilent', { port: String(port) }) };
}

/** The same command of the same user was started again later and lives: this one is what the first try left. */
function newerGeneration({ job, jobs, past }: StaleContext): LeftoverSign | null {
  const command = commandOf(job);
  const startedAt = job.startedAt ?? past.firstSeenAt;
  // Where a shell or launcher still keeps it, both may be meant to run.
  if (command === null || !isOrphaned(job)) return null;
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
    : { row: forLeftover.newerRun, text: message('stale.newerRun', { job: newer.title }) };
}

function commandOf(job: Job): string | null {
  const worker = job.members.find(({ role }) => role === 'rank' || role === 'process');
  return worker?.process.command?.join('\0') ?? null;
}

function sharesCard(left: Job, right: Job): boolean {
  const cards = new Set(left.members.flatMap((member) => member.cards.map(({ gpuIndex }) => gpuIndex)));
  return right.members.some((member) => member.cards.some(({ gpuIndex }) => cards.has(gpuIndex)));
}

/** A worker that waits for its parent does nothing at all; one that lives is asked for a batch within a minute. */
const forgottenSeconds = 60;

/**
 * Cards opened by processes that nvidia-smi does not list: they inherited them from a parent. Where several forks of one
 * dead parent have done nothing for a while, nobody will ever use what they pin.
 */
function unlistedDevices({ job, past, now, world }: StaleContext): LeftoverSign | null {
  if (!isWhole(world) || !job.members.some(({ cards }) => cards.length > 0)) return null;
  if (job.members.some(({ listed }) => listed)) return null;
  const text = message('stale.unlisted');
  const tops = topsOf(job);
  if (!isOrphaned(job)) return { row: forLeftover.unlisted, text };
  // A fork of a program stays in the process group of the one that it was forked from.
  const areForks = tops.length > 1 && tops.every(({ process }) => process.processGroup !== process.pid);
  if (areForks && now - past.lastActiveAt >= forgottenSeconds)
    return { row: forLeftover.unlistedForgotten, text };
  const isLasting = now - past.firstSeenAt >= lingerSeconds;
  return { row: isLasting ? forLeftover.unlistedOrphan : forLeftover.unlisted, text };
}

/** A person may look at a plot for a while; after this long without a sign of life, idleness is worth a mention. */
const longIdleSeconds = 1800;

function idleForLong({ past, now }: StaleContext): LeftoverSign | null {
  const seconds = now - past.lastActiveAt;
  return seconds < longIdleSeconds
    ? null
    : { row: forLeftover.idleLong, text: message('stale.idleLong', { since: seconds }) };
}
