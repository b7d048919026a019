import { message, type Message } from '../../i18n/message';
import { GiB } from '../../units';
import type { CaseInLog } from '../case';
import { isKill } from '../root';
import { has, isStory, numberDetail, told, type Rule } from './rule';

/** Main memory: research/oom.md, section 2, step 3. */
export const hostRules: readonly Rule[] = [
  {
    cause: 'host_ram',
    when: (at) => isStory(at, 'host-oom') && !told(at, 'WinError-1455'),
    confidence: hostConfidence,
    evidence: hostEvidence,
  },
  {
    cause: 'windows_commit_limit',
    when: (at) => told(at, 'WinError-1455'),
    confidence: 0.95,
    evidence: () => [message('doctorEvidence.winError1455')],
  },
  {
    cause: 'windows_commit_limit',
    when: (at) =>
      told(at, 'MemoryError', 'CPUAllocator-windows', 'numpy', 'dataloader-exited') && has(at, 'windows'),
    confidence: (at) => (has(at, 'spawnFrame') ? 0.65 : 0.35),
    evidence: () => [message('doctorEvidence.looksLikeWindows')],
  },
  {
    cause: 'single_huge_tensor',
    when: (at) => isStory(at, 'host-oom') && (at.it.facts.triedBytes ?? 0) >= 16 * GiB,
    confidence: 0.6,
    evidence: (at) => [message('doctorEvidence.hostRequest', { tried: at.it.facts.triedBytes })],
  },
  {
    cause: 'shm_small',
    when: (at) => told(at, 'dataloader-exited'),
    confidence: (at) => (has(at, 'container', 'sharedMemoryPath') ? 0.45 : 0.25),
    evidence: () => [message('doctorEvidence.workerGone')],
  },
  {
    cause: 'host_ram',
    when: (at) => told(at, 'TF-tensor') && at.it.details['hostDevice'] !== undefined,
    confidence: 0.88,
    evidence: () => [message('doctorEvidence.cpuDevice')],
  },
];

/** A kernel's or a monitor's own word is sure; a bare SIGKILL may have been sent by a person or a scheduler. */
function hostConfidence(at: CaseInLog): number {
  if (launcherMayHaveKilled(at)) return 0.3;
  if (
    told(
      at,
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
  if (told(at, 'CPUAllocator', 'CPUAllocator-windows', 'numpy', 'MemoryError', 'native-allocator'))
    return 0.88;
  if (told(at, 'dataloader')) return 0.88;
  if (told(at, 'dataloader-exited')) return has(at, 'windows') ? 0.4 : 0.5;
  if (told(at, 'mmap-errno-12', 'Ray-worker-died', 'child-killed')) return 0.66;
  if (told(at, 'notebook-kernel-died')) return 0.6;
  if (has(at, 'manualStop')) return 0.4;
  if (told(at, 'shell-killed')) return 0.68;
  return 0.78;
}

/** A launcher ends the other ranks when one has failed, and Slurm ends all that is left of a job. */
function launcherMayHaveKilled({ it, log }: CaseInLog): boolean {
  return isKill(it) && log.some((other) => other.role === 'cause' && !isKill(other) && other.line < it.line);
}

function hostEvidence(at: CaseInLog): Message[] {
  const { details, facts, rank } = at.it;
  const killed = numberDetail(at.it, 'killedPid');
  const residentKib = numberDetail(at.it, 'residentKib');
  const evidence: Message[] = [];
  if (launcherMayHaveKilled(at)) evidence.push(message('doctorEvidence.killedAfterFailure'));
  if (killed !== null)
    evidence.push(
      message('doctorEvidence.kernelKilled', {
        pid: String(killed),
        name: String(details['killedName'] ?? ''),
        resident: residentKib === null ? null : residentKib * 1024,
      }),
    );
  if (told(at, 'cgroup-oom-kill', 'slurm-oom-kill', 'kubernetes-oom-killed'))
    evidence.push(message('doctorEvidence.memoryLimit'));
  if (told(at, 'dataloader')) evidence.push(message('doctorEvidence.workerKilled'));
  if (told(at, 'dataloader-exited')) evidence.push(message('doctorEvidence.workerGone'));
  if (details['exitCode'] === -9 && rank !== null) evidence.push(message('doctorEvidence.sigkill', { rank }));
  if (
    (details['exitCode'] === -9 ||
      told(at, 'process-killed', 'shell-killed', 'elastic-summary', 'child-killed')) &&
    evidence.length === 0
  )
    evidence.push(message('doctorEvidence.killedFromOutside'));
  if (told(at, 'Ray-memory-monitor')) {
    const used = numberDetail(at.it, 'hostUsedBytes');
    const total = numberDetail(at.it, 'hostTotalBytes');
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
