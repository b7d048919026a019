/** Real processes as the jobs that Headroom makes of them. */
import { LinuxProcessTable } from '../../../../electron/sensing/processTable';
import { groupJobs } from '../../../../shared/jobs/grouping';
import { judgeJobs, noPasts } from '../../../../shared/jobs/stale/judge';
import type { Job } from '../../../../shared/jobs/types';

export const ownUid = process.getuid?.() ?? 0;
export const protection = { uid: ownUid, ownPids: new Set([process.pid, process.ppid]) };

/** The judged jobs of these pids as if nvidia-smi listed each on its own card. */
export function judged(...pids: readonly number[]): readonly Job[] {
  const table = new LinuxProcessTable({ procFolder: '/proc', devicePrefix: '/dev/nvidia' });
  const { facts, world } = table.read({
    pidsOnCards: new Set(pids),
    suspicious: false,
    now: Date.now(),
    slowness: 1,
  });
  const jobs = groupJobs({
    facts,
    holds: pids.map((pid, gpuIndex) => ({ pid, gpuIndex, usedBytes: 2 ** 30, type: 'C', name: 'python3' })),
    gpuIndexByMinor: new Map(),
    previous: [],
    ownUid,
    world,
  });
  return judgeJobs(noPasts, {
    jobs,
    now: Date.now() / 1000,
    busyCards: new Map(),
    listeningPorts: new Set(),
    livingContainers: null,
    world,
  }).jobs;
}

export function jobOf(jobs: readonly Job[], pid: number): Job {
  const job = jobs.find(({ members }) => members.some(({ process: one }) => one.pid === pid));
  if (job === undefined) throw new Error(`no job has pid ${pid}`);
  return job;
}
