import { message } from '../i18n/message';
import type { Card, Imbalance, Snapshot } from '../contract/snapshot';
import type { Job } from '../jobs/types';
import { GiB } from '../units';
import type { Condition, Rule } from './condition';

/** Another count of cards is worth knowing, not worth an alarm. */
const quietKinds: ReadonlySet<string> = new Set(['card-order']);

/** The id of the alert about something uneven: the same kind of the same jobs. */
export function unevenAlertId({ kind, jobIds }: Imbalance): string {
  return `uneven/${kind}/${jobIds.join('+')}`;
}

const uneven: Rule = {
  rule: 'uneven',
  minimumSeconds: 10,
  conditions: ({ snapshot }) =>
    snapshot.imbalance
      .filter(({ kind }) => !quietKinds.has(kind))
      .map((imbalance): Condition => ({
        rule: 'uneven',
        id: unevenAlertId(imbalance),
        phase: 'on',
        severity: 'warning',
        gpuIndex: imbalance.gpuIndices[0] ?? null,
        jobId: imbalance.jobIds[0] ?? null,
        text: imbalance.what,
      })),
};

const staleJob: Rule = {
  rule: 'stale-job',
  minimumSeconds: 5,
  conditions: ({ snapshot }) =>
    snapshot.jobs
      .filter(({ verdict, memoryBytes }) => verdict === 'stale' && (memoryBytes ?? 0) > 0)
      .map((job): Condition => ({
        rule: 'stale-job',
        id: `stale-job/${job.id}`,
        phase: 'on',
        severity: 'warning',
        gpuIndex: job.members.flatMap(({ cards }) => cards)[0]?.gpuIndex ?? null,
        jobId: job.id,
        text: message('alerts.staleJob', { job: job.title, held: job.memoryBytes }),
      })),
};

/** A process this large is a training process, and a card this full refuses the next request. */
const died = { leastBytes: GiB, fullShare: 0.92 } as const;

const diedOnFullCard: Rule = {
  rule: 'died-on-full-card',
  minimumSeconds: 0,
  conditions: ({ snapshot, previous, endedPids }) => {
    if (previous === null || !sameMachine(previous, snapshot)) return [];
    const living = new Set(snapshot.processes.map(({ pid }) => pid));
    return previous.processes.flatMap(({ pid, gpuIndex, usedBytes }): readonly Condition[] => {
      const card = previous.cards.find(({ index }) => index === gpuIndex);
      if (pid === null || card === undefined || living.has(pid) || endedPids.has(pid)) return [];
      if ((usedBytes ?? 0) < died.leastBytes || !wasFull(card) || !answersNow(snapshot, card)) return [];
      const job = previous.jobs.find((one) => one.members.some(({ process }) => process.pid === pid));
      return [
        {
          rule: 'died-on-full-card',
          id: `died-on-full-card/${pid}/${gpuIndex ?? ''}`,
          phase: 'event',
          severity: 'critical',
          gpuIndex,
          jobId: job?.id ?? null,
          text: message('alerts.diedOnFullCard', {
            job: job?.title ?? `pid ${pid}`,
            card: gpuIndex,
            used: card.memoryUsedBytes,
            total: card.memoryTotalBytes,
          }),
        },
      ];
    });
  },
};

function sameMachine(previous: Snapshot, snapshot: Snapshot): boolean {
  return previous.source.kind === snapshot.source.kind && previous.source.sceneId === snapshot.source.sceneId;
}

/** A card that no longer answers tells nothing of its processes: only a card still read can have lost one. */
function answersNow(snapshot: Snapshot, card: Card): boolean {
  const now = snapshot.cards.find(({ index }) => index === card.index);
  return now !== undefined && !now.lost && now.memoryUsedBytes !== null && snapshot.problems.length === 0;
}

function wasFull(card: Card): boolean {
  return (card.memoryUsedBytes ?? 0) >= died.fullShare * (card.memoryTotalBytes ?? Number.POSITIVE_INFINITY);
}

const hostMemory: Rule = {
  rule: 'host-memory',
  minimumSeconds: 10,
  conditions: ({ snapshot, thresholds }) => {
    const { memoryTotalBytes: total, memoryAvailableBytes: available, topProcesses } = snapshot.host;
    if (total === null || available === null || total === 0) return [];
    const percent = 100 * (1 - available / total);
    if (percent <= thresholds.hostMemoryPercent - 5) return [];
    const largest = topProcesses[0];
    return [
      {
        rule: 'host-memory',
        id: 'host-memory',
        phase: percent >= thresholds.hostMemoryPercent ? 'on' : 'hold',
        severity: 'critical',
        gpuIndex: null,
        jobId: jobOf(snapshot.jobs, largest?.pid)?.id ?? null,
        text: message('alerts.hostMemory', {
          left: available,
          largest: largest?.name ?? null,
          held: largest?.residentBytes ?? null,
        }),
      },
    ];
  },
};

function jobOf(jobs: readonly Job[], pid: number | undefined): Job | undefined {
  return jobs.find(({ members }) => members.some(({ process }) => process.pid === pid));
}

export const jobRules: readonly Rule[] = [uneven, staleJob, diedOnFullCard, hostMemory];
