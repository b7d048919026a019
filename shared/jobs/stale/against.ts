import { message } from '../../i18n/message';
import { programOf } from '../program';
import type { Job, StaleReason } from '../types';
import type { Scene } from './signs';

/** What speaks against a leftover. `veto`: whatever else is seen, such a job is never called stale. */
export interface Counter extends StaleReason {
  readonly veto: boolean;
}

export function signsAgainst(scene: Scene): readonly Counter[] {
  const { job } = scene;
  return [
    job.kind === 'desktop' && { sign: 'desktop', text: message('stale.desktop'), weight: 1, veto: true },
    isService(job) && { sign: 'service', text: message('stale.service'), weight: 1, veto: true },
    job.members.some(({ role }) => role === 'notebook') && {
      sign: 'notebook',
      text: message('stale.notebook'),
      weight: 1,
      veto: true,
    },
    job.members.some(({ process }) => process.writesCheckpoint === true) && {
      sign: 'checkpoint-open',
      text: message('stale.checkpointOpen'),
      weight: 1,
      veto: true,
    },
    launcherLives(job) && {
      sign: 'launcher-alive',
      text: message('stale.launcherAlive'),
      weight: 0.6,
      veto: false,
    },
    isStopped(job) && { sign: 'stopped', text: message('stale.stopped'), weight: 0.2, veto: false },
    job.ownedByMe === false && {
      sign: 'other-user',
      text: message('stale.otherUser', { user: job.user }),
      weight: 0,
      veto: false,
    },
  ].filter((counter) => counter !== false);
}

function launcherLives(job: Job): boolean {
  return job.members.some(({ role, process }) => role === 'launcher' && process.state !== 'Z');
}

function isStopped(job: Job): boolean {
  return job.members.some(({ process }) => process.state === 'T' || process.state === 't');
}

/** A unit of the system's service manager keeps its processes on purpose and starts them again when they end. */
function isService(job: Job): boolean {
  return job.members.some(
    ({ process, role }) =>
      (role === 'process' && programOf(process).kind === 'service') ||
      /\/system\.slice\/(?!docker-|cri-|ssh|cron)[^/]+\.service$/.test(process.cgroup ?? ''),
  );
}
