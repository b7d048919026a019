/**
 * The record of an ending for the log: who was asked to end by which signal, and what came of it. Processes go by pid,
 * start time and user; no word of a command line or an environment is written.
 */
import type { EndingReport } from '../../shared/contract/ending';
import type { EndingSignal } from '../../shared/jobs/types';
import { translate } from '../../shared/i18n/translate';
import type { EndingPlan } from '../../shared/jobs/stale/ending';
import type { Job, JobMember } from '../../shared/jobs/types';
import type { Sent } from './processes';

export function beginLine(job: Job, plan: EndingPlan): string {
  const signs = job.reasons.map(({ sign }) => sign).join(', ');
  const who = plan.ends.map(identity).join('; ');
  return `Ending job ${job.id} (${job.verdict}: ${signs}): ${who === '' ? 'nothing to end' : who}.`;
}

export function signalLine(member: JobMember, signal: EndingSignal, sent: Sent): string {
  return `${signal} to ${identity(member)}: ${sent}.`;
}

export function endLine(job: Job, report: EndingReport): string {
  const ended = report.ended.map(({ pid, signal, result }) => `${pid} ${result} (${signal ?? 'no signal'})`);
  const remaining = report.remaining.map(({ pid, why }) => `${pid}: ${translate('en', why)}`);
  return [
    `Job ${job.id} after ${report.tookSeconds.toFixed(1)} s: ${listed(ended)} ended, ${listed(remaining)} remain,`,
    report.memoryBackBytes === null
      ? 'memory unknown.'
      : `${report.memoryBackBytes} bytes of cards came back.`,
  ].join(' ');
}

function listed(parts: readonly string[]): string {
  return parts.length === 0 ? 'none' : parts.join('; ');
}

function identity({ process: { pid, startTime, uid }, role, rank }: JobMember): string {
  const part = rank === null ? role : `${role} ${rank}`;
  return `pid ${pid} (start ${startTime ?? 'unknown'}, uid ${uid ?? 'unknown'}, ${part})`;
}
