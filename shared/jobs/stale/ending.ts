import { message, type Message } from '../../i18n/message';
import { programOf } from '../program';
import type { Job, JobMember } from '../types';

/** What an ending must leave alone: other users' processes, and Headroom's own with all above them. */
export interface Protection {
  readonly uid: number | null;
  /** Headroom's own processes and all above them. */
  readonly ownPids: ReadonlySet<number>;
}

interface KeptProcess {
  readonly member: JobMember;
  readonly why: Message;
}

export interface EndingPlan {
  /** In the order in which they are asked: the launcher reaps its ranks, ranks reap their workers. */
  readonly ends: readonly JobMember[];
  /** Members that are left alone, each with the reason and what a person can do. */
  readonly keeps: readonly KeptProcess[];
}

const order = { launcher: 0, rank: 1, process: 1, worker: 2, notebook: 3 } as const;

/**
 * Which processes ending a job means: its confirmed members and no more. Never by name, never a tree, never a terminal,
 * shell, service, desktop program, notebook kernel, another user's process, one without an identity, or Headroom itself.
 */
export function endingPlan(job: Job, protection: Protection): EndingPlan {
  const ends: JobMember[] = [];
  const keeps: KeptProcess[] = [];
  for (const member of job.members) {
    const why = reasonToKeep(job, member, protection);
    if (why === null) ends.push(member);
    else keeps.push({ member, why });
  }
  return { ends: ends.toSorted((a, b) => order[a.role] - order[b.role]), keeps };
}

function reasonToKeep(job: Job, { role, process }: JobMember, protection: Protection): Message | null {
  const pid = String(process.pid);
  if (protection.ownPids.has(process.pid)) return message('ending.keepsOwn', { pid });
  if (process.unreadable.some(({ reason }) => reason === 'otherNamespace'))
    return message('ending.keepsNamespace', { pid });
  if (process.startTime === null && process.unreadable.some(({ reason }) => reason === 'gone'))
    return message('ending.keepsGone', { pid });
  if (process.pid <= 2 || process.startTime === null) return message('ending.keepsUnknown', { pid });
  const { kind } = programOf(process);
  if (job.kind === 'desktop' || kind === 'desktop') return message('ending.keepsDesktop', { pid });
  if (kind === 'service') return message('ending.keepsService', { pid, name: process.name });
  if (kind === 'shell') return message('ending.keepsShell', { pid });
  // A fork of a kernel looks like a kernel, and nobody but the kernel should end it.
  if (role === 'notebook' || kind === 'notebook') return message('ending.keepsNotebook', { pid });
  if (process.state === 'Z') return message('ending.keepsZombie', { pid });
  // An administrator ends it as its owner, who may be asked whether it is needed.
  if (protection.uid !== null && process.uid !== protection.uid)
    return message('ending.keepsOtherUser', { pid, user: process.user });
  return null;
}
