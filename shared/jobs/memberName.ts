import { message, type Message } from '../i18n/message';
import type { JobMember } from './types';

/** What a process is in its job: `rank 1`, `launcher`, `worker of rank 0`. */
export function memberName({ role, rank }: Pick<JobMember, 'role' | 'rank'>): Message {
  const number = rank === null ? null : String(rank);
  switch (role) {
    case 'worker':
      return number === null
        ? message('workstation.roleWorker')
        : message('workstation.workerOfRank', { rank: number });
    case 'rank':
      return number === null
        ? message('workstation.roleRank')
        : message('workstation.rank', { rank: number });
    case 'launcher':
      return message('workstation.roleLauncher');
    case 'notebook':
      return message('workstation.roleNotebook');
    case 'process':
      return number === null
        ? message('workstation.roleProcess')
        : message('workstation.rank', { rank: number });
  }
}
