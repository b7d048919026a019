import type { AlertRule } from '../contract/alertRules';
import { message, type Message } from '../i18n/message';
import type { Imbalance } from '../contract/snapshot';
import { suspectedOomExitsBetween } from '../doctor/suspectedOomExit';
import type { Job } from '../jobs/types';
import { phaseOf, type Condition, type Rule } from './condition';

/** Another count of the cards is worth knowing; everything else that is uneven costs memory or time and is worth an alert. */
export function isWorthAnAlert({ kind }: Imbalance): boolean {
  return kind !== 'card-order';
}

/** The id of the alert about something uneven: the same kind of the same jobs. */
export function unevenAlertId({ kind, jobIds }: Imbalance): string {
  return `uneven/${kind}/${jobIds.join('+')}`;
}

const uneven: Rule = {
  rule: 'uneven',
  minimumSeconds: 10,
  conditions: ({ snapshot }) =>
    snapshot.imbalance.filter(isWorthAnAlert).map((imbalance): Condition => ({
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
      .map((job) =>
        onJob('stale-job', job, message('alerts.staleJob', { job: job.title, held: job.memoryBytes })),
      ),
};

function onJob(rule: AlertRule, job: Job, text: Message): Condition {
  return {
    rule,
    id: `${rule}/${job.id}`,
    phase: 'on',
    severity: 'warning',
    gpuIndex: job.members.flatMap(({ cards }) => cards)[0]?.gpuIndex ?? null,
    jobId: job.id,
    text,
  };
}

/**
 * Ranks that are gone while the others hold their cards: these wait in a collective that never ends, often at 100 %. When a
 * training ends its ranks leave one after another; a rank that still writes a checkpoint makes no job suspect.
 */
const rankLost: Rule = {
  rule: 'rank-lost',
  minimumSeconds: 30,
  conditions: ({ snapshot }) =>
    snapshot.jobs
      .filter(
        ({ verdict, memoryBytes, reasons }) =>
          verdict === 'suspect' &&
          (memoryBytes ?? 0) > 0 &&
          reasons.some(({ sign }) => sign === 'ranks-missing'),
      )
      .map((job) =>
        onJob('rank-lost', job, message('alerts.rankLost', { job: job.title, held: job.memoryBytes })),
      ),
};

/** What is seen of such an end is told by the doctor: the same ends, by the same test. */
const diedOnFullCard: Rule = {
  rule: 'died-on-full-card',
  minimumSeconds: 0,
  conditions: ({ snapshot, previous, endedPids }) =>
    previous === null
      ? []
      : suspectedOomExitsBetween(previous, snapshot, endedPids).map((seen): Condition => ({
          rule: 'died-on-full-card',
          id: `died-on-full-card/${seen.pid}/${seen.gpuIndex}`,
          phase: 'event',
          severity: 'critical',
          gpuIndex: seen.gpuIndex,
          jobId: seen.jobId,
          text: message('alerts.diedOnFullCard', {
            job: seen.name,
            card: seen.gpuIndex,
            used: seen.usedBytes,
            total: seen.totalBytes,
          }),
        })),
};

const hostMemory: Rule = {
  rule: 'host-memory',
  minimumSeconds: 10,
  conditions: ({ snapshot, thresholds }) => {
    const { memoryTotalBytes: total, memoryAvailableBytes: available, topProcesses } = snapshot.host;
    if (total === null || available === null || total === 0) return [];
    const percent = 100 * (1 - available / total);
    const phase = phaseOf(percent, thresholds.hostMemoryPercent);
    if (phase === null) return [];
    const largest = topProcesses[0];
    return [
      {
        rule: 'host-memory',
        id: 'host-memory',
        phase,
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

export const jobRules: readonly Rule[] = [uneven, staleJob, rankLost, diedOnFullCard, hostMemory];
