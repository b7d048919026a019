import { message } from '../../i18n/message';
import { KiB, MiB } from '../../units';
import { isKill } from '../failures/root';
import { has, matchesFormat, numberDetail } from './context';
import type { Message } from '../../i18n/message';
import type { Context, ReadFailure } from '../failures/readFailure';

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
      'earlyoom',
      'cgroup-memory-events',
      'jetsam',
      'windows-low-memory',
      'ollama-system-memory',
      'scheduler-memory-limit',
      'platform-memory-limit',
      'engine-host-pool',
    )
  )
    return 0.96;
  if (
    matchesFormat(
      context,
      'CPUAllocator',
      'CPUAllocator-windows',
      'numpy',
      'MemoryError',
      'native-allocator',
      'errno-12',
    )
  )
    return 0.88;
  if (matchesFormat(context, 'dataloader')) return 0.88;
  if (matchesFormat(context, 'dataloader-exited')) return has(context, 'windows') ? 0.4 : 0.5;
  if (matchesFormat(context, 'mmap-errno-12', 'child-killed')) return 0.66;
  if (matchesFormat(context, 'compiler-killed')) return 0.86;
  if (matchesFormat(context, 'Ray-worker-died', 'pool-broken')) return 0.45;
  if (matchesFormat(context, 'Ray-pod-limit')) return 0.7;
  if (matchesFormat(context, 'rust-errno-12')) return 0.88;
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

/** The text says that a limit of the job, the container or its group was met, not the machine's memory. */
export function limitWasMet(context: Context): boolean {
  return matchesFormat(
    context,
    'cgroup-oom-kill',
    'slurm-oom-kill',
    'kubernetes-oom-killed',
    'scheduler-memory-limit',
    'Ray-pod-limit',
  );
}

export function hostEvidence(context: Context): Message[] {
  const found = hostSigns.flatMap(({ when, says }) => (when(context) ? says(context) : []));
  return found.length > 0 ? found : [message('doctorEvidence.hostRefused')];
}

interface HostSign {
  readonly when: (context: Context) => boolean;
  readonly says: (context: Context) => readonly Message[];
}

/** What a text says of host memory, a sentence each; only what stands there. */
const hostSigns: readonly HostSign[] = [
  { when: launcherMayHaveKilled, says: () => [message('doctorEvidence.killedAfterFailure')] },
  {
    when: (context) => numberDetail(context.failure, 'killedPid') !== null,
    says: ({ failure }) => {
      const resident = residentBytes(failure);
      const values = {
        pid: String(numberDetail(failure, 'killedPid') ?? '?'),
        name: String(failure.details['killedName'] ?? '?'),
      };
      return [
        resident === null
          ? message('doctorEvidence.endedForMemory', values)
          : message('doctorEvidence.kernelKilled', { ...values, resident }),
      ];
    },
  },
  {
    when: (context) => numberDetail(context.failure, 'oomKills') !== null,
    says: ({ failure }) => [
      message('doctorEvidence.groupKilled', { count: numberDetail(failure, 'oomKills') }),
    ],
  },
  {
    when: limitWasMet,
    says: () => [message('doctorEvidence.memoryLimit')],
  },
  {
    when: (context) => matchesFormat(context, 'ollama-system-memory'),
    says: ({ failure }) => {
      const needed = numberDetail(failure, 'neededBytes');
      const available = numberDetail(failure, 'availableBytes');
      return needed === null || available === null
        ? [message('doctorEvidence.modelOverRam')]
        : [message('doctorEvidence.modelOverRamBy', { needed, available })];
    },
  },
  { when: (context) => matchesFormat(context, 'dataloader'), says: workerKilled },
  {
    when: (context) => matchesFormat(context, 'dataloader-exited'),
    says: () => [message('doctorEvidence.workerGone')],
  },
  {
    when: (context) => matchesFormat(context, 'pool-broken'),
    says: () => [message('doctorEvidence.poolBroken')],
  },
  {
    when: (context) => matchesFormat(context, 'Ray-worker-died'),
    says: () => [message('doctorEvidence.rayLists')],
  },
  {
    when: (context) => matchesFormat(context, ...kills) || context.failure.details['exitCode'] === -9,
    says: (context) => (launcherMayHaveKilled(context) ? [] : [killSentence(context.failure)]),
  },
  {
    when: (context) => matchesFormat(context, 'Ray-memory-monitor'),
    says: ({ failure }) => {
      const used = numberDetail(failure, 'hostUsedBytes');
      const total = numberDetail(failure, 'hostTotalBytes');
      return used === null || total === null
        ? [message('doctorEvidence.rayMonitorAlone')]
        : [message('doctorEvidence.rayMonitor', { used, total })];
    },
  },
  {
    when: (context) => context.failure.facts.triedBytes !== null,
    says: ({ failure }) => [message('doctorEvidence.hostRequest', { tried: failure.facts.triedBytes })],
  },
];

const kills = [
  'process-killed',
  'shell-killed',
  'elastic-summary',
  'child-killed',
  'compiler-killed',
] as const;

function killSentence({ rank }: ReadFailure): Message {
  return rank === null
    ? message('doctorEvidence.killedFromOutside')
    : message('doctorEvidence.sigkill', { rank });
}

function workerKilled({ failure }: Context): readonly Message[] {
  const pid = numberDetail(failure, 'workerPid');
  return [
    pid === null
      ? message('doctorEvidence.workerKilled')
      : message('doctorEvidence.workerKilledPid', { pid: String(pid) }),
  ];
}

function residentBytes(failure: ReadFailure): number | null {
  const kib = numberDetail(failure, 'residentKib');
  const mib = numberDetail(failure, 'residentMib');
  return kib !== null ? kib * KiB : mib === null ? null : mib * MiB;
}
