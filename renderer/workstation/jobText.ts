import { severityOf } from '../../shared/alerts/rules';
import type { Severity } from '../../shared/alerts/severity';
import type { MessageKey } from '../../shared/i18n/message';
import { heldBytes } from '../../shared/jobs/stale/freeing';
import type { Job, JobMember } from '../../shared/jobs/types';
import type { I18n } from '../state/i18n.svelte';

export interface StateText {
  readonly level: 'good' | Severity | 'off';
  readonly text: string;
}

export function jobState(job: Job, ended: boolean, time: number, i18n: I18n): StateText {
  if (ended) return { level: 'off', text: i18n.t('workstation.stateEnded') };
  switch (job.verdict) {
    case 'healthy':
      return { level: 'good', text: i18n.t('workstation.stateRunning') };
    case 'idle':
      return { level: 'info', text: idleText(job.idleSince, time, i18n) };
    case 'suspect':
      return { level: severityOf('rank-lost'), text: i18n.t('workstation.stateSuspect') };
    case 'stale':
      return { level: severityOf('stale-job'), text: i18n.t('workstation.stateStale') };
  }
}

function idleText(idleSince: number | null, time: number, i18n: I18n): string {
  if (idleSince === null) return i18n.t('workstation.stateIdlePlain');
  return i18n.t('workstation.stateIdle', { age: Math.max(0, time - idleSince) });
}

/** What is worth saying of one process; null for one that simply runs or sleeps. */
export function memberState(member: JobMember, ended: boolean, i18n: I18n): StateText | null {
  if (ended) return { level: 'off', text: i18n.t('workstation.stateEnded') };
  switch (member.process.state) {
    case 'Z':
      return { level: 'warning', text: i18n.t('workstation.stateZombie') };
    case 'X':
      return { level: 'off', text: i18n.t('workstation.stateEnded') };
    case 'D':
      return { level: 'info', text: i18n.t('workstation.stateUninterruptible') };
    case 'T':
    case 't':
      return { level: 'info', text: i18n.t('workstation.stateStopped') };
    case 'R':
    case 'S':
    case 'I':
    case 'unknown':
      return null;
  }
}

const kindKeys: Readonly<Record<Job['kind'], (MessageKey & `workstation.kind${string}`) | null>> = {
  torchrun: 'workstation.kindTorchrun',
  accelerate: 'workstation.kindAccelerate',
  deepspeed: 'workstation.kindDeepspeed',
  slurm: 'workstation.kindSlurm',
  mpi: 'workstation.kindMpi',
  spawn: 'workstation.kindSpawn',
  notebook: 'workstation.kindNotebook',
  container: 'workstation.kindContainer',
  desktop: 'workstation.kindDesktop',
  single: null,
};

/** What a job is made of: `torchrun · 2 ranks · 8 data-loader workers`. */
export function jobMakeUp(job: Job, i18n: I18n): readonly string[] {
  const kind = kindKeys[job.kind];
  const ranks = job.members.filter((member) => member.role === 'rank').length;
  const workers = job.members.filter((member) => member.role === 'worker').length;
  return [
    ...(kind === null ? [] : [i18n.t(kind)]),
    ranks === 0
      ? i18n.t('workstation.processCount', { count: job.members.length - workers })
      : job.worldSize !== null && job.worldSize !== ranks
        ? i18n.t('workstation.ranksOf', { count: ranks, total: job.worldSize })
        : i18n.t('workstation.rankCount', { count: ranks }),
    ...(workers === 0 ? [] : [i18n.t('workstation.workerCount', { count: workers })]),
  ];
}

/** The cards a job or process holds memory on, in order: `0, 1`, or `0 · 2g.20gb` for what runs in a MIG device. */
export function cardList(
  members: readonly JobMember[],
  slices: ReadonlyMap<number, string>,
  i18n: I18n,
): string | null {
  const inSlices = members.flatMap(({ process, cards }) => {
    const slice = slices.get(process.pid);
    const card = cards[0]?.gpuIndex;
    return slice === undefined || card === undefined
      ? []
      : [i18n.t('workstation.cardSlice', { card: String(card), slice })];
  });
  if (inSlices.length > 0) return [...new Set(inSlices)].join(', ');
  const cards = new Set(members.flatMap((member) => member.cards.map((place) => place.gpuIndex)));
  return cards.size === 0 ? null : rangesOf([...cards].sort((a, b) => a - b));
}

/** `0–7` for a run of three or more, `0, 1` otherwise. */
function rangesOf(sorted: readonly number[]): string {
  const runs: number[][] = [];
  for (const value of sorted) {
    const run = runs[runs.length - 1];
    if (run !== undefined && run[run.length - 1] === value - 1) run.push(value);
    else runs.push([value]);
  }
  return runs
    .map((run) => (run.length > 2 ? `${String(run[0])}–${String(run[run.length - 1])}` : run.join(', ')))
    .join(', ');
}

/** A process' memory on all cards; null where the driver says of none, 0 where it is on none. */
export function memberBytes(member: JobMember): number | null {
  return member.cards.length === 0 ? 0 : heldBytes([member]);
}

/** The command line in one line; null where it may not be read. */
export function commandLine(member: JobMember): string | null {
  const { command } = member.process;
  return command === null || command.length === 0 ? null : command.join(' ');
}
