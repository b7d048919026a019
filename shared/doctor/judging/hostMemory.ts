import { message } from '../../i18n/message';
import { isKill } from '../failures/root';
import { has, matchesFormat, numberDetail } from './context';
import type { Message } from '../../i18n/message';
import type { Context } from '../failures/readFailure';

/** A kernel's or a monitor's own word is sure; a bare SIGKILL may have been sent by a person or a scheduler. */
export function hostConfidence(context: Context): number {
  if (launcherMayHaveKilled(context)) return 0.3;
  if (
    matchesFormat(
      context,
      'cgroup-oom-kill',
      'kernel-oom-kill',
      'slurm-oom-kill',
      'Ray-memory-monitor',
      'kubernetes-oom-killed',
      'kubernetes-evicted',
      'memory-watch',
    )
  )
    return 0.96;
  if (
    matchesFormat(context, 'CPUAllocator', 'CPUAllocator-windows', 'numpy', 'MemoryError', 'native-allocator')
  )
    return 0.88;
  if (matchesFormat(context, 'dataloader')) return 0.88;
  if (matchesFormat(context, 'dataloader-exited')) return has(context, 'windows') ? 0.4 : 0.5;
  if (matchesFormat(context, 'mmap-errno-12', 'Ray-worker-died', 'child-killed')) return 0.66;
  if (matchesFormat(context, 'notebook-kernel-died')) return 0.6;
  if (has(context, 'manualStop')) return 0.4;
  if (matchesFormat(context, 'shell-killed')) return 0.68;
  return 0.78;
}

/** A launcher ends the other ranks when one has failed, and Slurm ends all that is left of a job. */
export function launcherMayHaveKilled({ failure, log }: Context): boolean {
  return (
    isKill(failure) &&
    log.some((other) => other.role === 'cause' && !isKill(other) && other.line < failure.line)
  );
}

export function hostEvidence(context: Context): Message[] {
  const { details, facts, rank } = context.failure;
  const killed = numberDetail(context.failure, 'killedPid');
  const residentKib = numberDetail(context.failure, 'residentKib');
  const evidence: Message[] = [];
  if (launcherMayHaveKilled(context)) evidence.push(message('doctorEvidence.killedAfterFailure'));
  if (killed !== null)
    evidence.push(
      message('doctorEvidence.kernelKilled', {
        pid: String(killed),
        name: String(details['killedName'] ?? ''),
        resident: residentKib === null ? null : residentKib * 1024,
      }),
    );
  if (matchesFormat(context, 'cgroup-oom-kill', 'slurm-oom-kill', 'kubernetes-oom-killed'))
    evidence.push(message('doctorEvidence.memoryLimit'));
  if (matchesFormat(context, 'dataloader')) evidence.push(message('doctorEvidence.workerKilled'));
  if (matchesFormat(context, 'dataloader-exited')) evidence.push(message('doctorEvidence.workerGone'));
  if (details['exitCode'] === -9 && rank !== null) evidence.push(message('doctorEvidence.sigkill', { rank }));
  if (
    (details['exitCode'] === -9 ||
      matchesFormat(context, 'process-killed', 'shell-killed', 'elastic-summary', 'child-killed')) &&
    evidence.length === 0
  )
    evidence.push(message('doctorEvidence.killedFromOutside'));
  if (matchesFormat(context, 'Ray-memory-monitor')) {
    const used = numberDetail(context.failure, 'hostUsedBytes');
    const total = numberDetail(context.failure, 'hostTotalBytes');
    const isPrinted = used !== null && total !== null;
    evidence.push(
      isPrinted
        ? message('doctorEvidence.rayMonitor', { used, total })
        : message('doctorEvidence.rayMonitorAlone'),
    );
  }
  if (facts.triedBytes !== null)
    evidence.push(message('doctorEvidence.hostRequest', { tried: facts.triedBytes }));
  if (evidence.length === 0) evidence.push(message('doctorEvidence.hostRefused'));
  return evidence;
}
