/** The functions that see what speaks against a leftover; weights and words are rows of `evidence.ts`. */
import { message, type Message } from '../../i18n/message';
import { isUnitOfService } from '../parentage';
import { programOf } from '../program';
import type { FactGroup, Job, JobMember, ProcessFacts } from '../types';
import { againstLeftover, type EvidenceAgainst } from './evidence';
import { isRun, type StaleContext } from './signs';
import { livingMembers, topsOf } from './tops';

export interface Counter {
  readonly row: EvidenceAgainst;
  readonly text: Message;
}

export function countersOf({ job, computing }: StaleContext): readonly Counter[] {
  const { members } = job;
  return [
    job.kind === 'desktop' && { row: againstLeftover.desktop, text: message('stale.desktop') },
    isService(job) && { row: againstLeftover.service, text: message('stale.service') },
    members.some(({ role }) => role === 'notebook') && {
      row: againstLeftover.notebook,
      text: message('stale.notebook'),
    },
    members.some(({ process }) => process.writesCheckpoint === true) && {
      row: againstLeftover.checkpointOpen,
      text: message('stale.checkpointOpen'),
    },
    hasSeveralOwners(job) && { row: againstLeftover.severalOwners, text: message('stale.severalOwners') },
    launcherLives(job) && { row: againstLeftover.launcherAlive, text: message('stale.launcherAlive') },
    computing !== null && {
      row: againstLeftover.computing,
      text:
        computing.percent === null
          ? message('stale.computingUnknown')
          : message('stale.computing', { percent: computing.percent }),
    },
    livingMembers(job).some(isUnreadable) && {
      row: againstLeftover.unreadable,
      text: message('stale.unreadable'),
    },
    isStopped(job) && { row: againstLeftover.stopped, text: message('stale.stopped') },
    job.ownedByMe === false && {
      row: againstLeftover.otherUser,
      text: message('stale.otherUser', { user: job.user }),
    },
  ].filter((counter) => counter !== false);
}

/** A launcher is a member, or whatever living program or shell its ranks were started by, however that is called. */
function launcherLives(job: Job): boolean {
  if (job.members.some(({ role, process }) => role === 'launcher' && process.state !== 'Z')) return true;
  return isRun(job) && topsOf(job).some(({ origin }) => origin === 'started' || origin === 'outside');
}

function isStopped(job: Job): boolean {
  return job.members.some(({ process }) => process.state === 'T' || process.state === 't');
}

/** A service manager keeps its units' processes on purpose and starts them again when they end. */
function isService({ members }: Job): boolean {
  const cgroups = new Set(members.map(({ process }) => process.cgroup));
  return (
    [...cgroups].some((cgroup) => cgroup !== null && isUnitOfService(cgroup)) ||
    members.some(({ process, role }) => role === 'process' && programOf(process).kind === 'service')
  );
}

/** Nobody's job may end with somebody else's processes in it; a process whose owner is unknown may be somebody else's. */
function hasSeveralOwners(job: Job): boolean {
  const owners = new Set(livingMembers(job).map(({ process }) => ownerOf(process)));
  return owners.size > 1 || owners.has(null);
}

function ownerOf({ uid, user }: ProcessFacts): number | string | null {
  return uid ?? user;
}

/** What must be known of a process before it can be called a leftover, as it may hold what speaks against that. */
const needed = [
  ['command', ({ command }) => command],
  ['cgroup', ({ cgroup }) => cgroup],
  ['openFiles', ({ writesCheckpoint }) => writesCheckpoint],
  ['environment', ({ environment }) => environment],
] as const satisfies readonly (readonly [FactGroup, (process: ProcessFacts) => unknown])[];

function isUnreadable({ process }: JobMember): boolean {
  return needed.some(
    ([group, read]) =>
      read(process) === null &&
      !process.unreadable.some(({ facts, reason }) => facts === group && reason === 'notOffered'),
  );
}
