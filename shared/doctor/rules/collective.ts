import { message, type Message } from '../../i18n/message';
import type { Case, CaseInLog } from '../case';
import { has, isStory, numberDetail, told, type Rule } from './rule';

/** Logs of many ranks: who only waited, and for what (research/oom.md, section 2, step 2). */
export const collectiveRules: readonly Rule[] = [
  {
    cause: 'nccl_buffers_oom',
    when: (at) => isStory(at, 'nccl-oom'),
    confidence: 0.92,
    evidence: (at) => [
      message('doctorEvidence.ncclNoRoom', { gpuIndex: at.it.facts.gpuIndex }),
      ...(at.it.facts.triedBytes === null
        ? []
        : [message('doctorEvidence.ncclBuffer', { tried: at.it.facts.triedBytes })]),
    ],
  },
  {
    cause: 'nccl_after_oom',
    when: (at) => isStory(at, 'nccl-wait') && memoryFailure(at) !== null,
    confidence: 0.92,
    evidence: (at) => {
      const first = memoryFailure(at);
      if (first === null) return [];
      const { line, rank } = first;
      return [
        rank === null
          ? message('doctorEvidence.afterMemoryFailureAt', { line })
          : message('doctorEvidence.afterMemoryFailure', { line, rank }),
      ];
    },
  },
  {
    cause: 'nccl_desync',
    when: (at) => isStory(at, 'nccl-wait') && memoryFailure(at) === null && !remote(at) && !onlyUnhandled(at),
    confidence: (at) => (sequenceNumbers(at).size > 1 ? 0.85 : 0.35),
    evidence: sequenceEvidence,
  },
  {
    cause: 'nccl_victim',
    when: (at) => isStory(at, 'nccl-wait') && memoryFailure(at) === null && !onlyUnhandled(at),
    confidence: (at) => (remote(at) ? 0.88 : sequenceNumbers(at).size > 1 ? 0.35 : 0.8),
    evidence: (at) => [
      message(remote(at) ? 'doctorEvidence.remoteGone' : 'doctorEvidence.onlyWaited'),
      ...(remote(at) ? [] : sequenceEvidence(at)),
    ],
  },
  {
    cause: 'nccl_buffers_oom',
    // NCCL says no more without NCCL_DEBUG; a card that is full is the commonest reason.
    when: (at) =>
      told(at, 'nccl-unhandled-cuda-error') &&
      !isStory(at, 'nccl-oom') &&
      at.it.details['cudaFailure'] === undefined &&
      memoryFailure(at) === null,
    confidence: 0.5,
    evidence: () => [message('doctorEvidence.unhandledCudaError')],
  },
  {
    cause: 'garbage_size_after_timeout',
    when: (at) => told(at, 'P-1EB'),
    confidence: 0.92,
    evidence: () => [message('doctorEvidence.garbageSize')],
  },
  {
    cause: 'nccl_buffers_oom',
    // The error was raised where a communicator is made, with the card full.
    when: (at) => isStory(at, 'gpu-oom') && has(at, 'ddpConstructionFrame') && has(at, 'ncclInText'),
    confidence: 0.45,
    evidence: () => [message('doctorEvidence.communicator')],
  },
];

/** The first failure in the log that can have stopped a rank. */
function memoryFailure(at: CaseInLog): Case | null {
  const stories = ['gpu-oom', 'host-oom', 'nccl-oom', 'shm', 'driver'];
  return at.log.find((other) => other.role === 'cause' && stories.includes(other.story)) ?? null;
}

function remote(at: CaseInLog): boolean {
  return (
    told(at, 'nccl-remote-error', 'gloo-connection-closed') &&
    !told(at, 'nccl-watchdog-2.x', 'nccl-watchdog-2.0')
  );
}

function onlyUnhandled(at: CaseInLog): boolean {
  return at.it.formats.every((format) => format === 'nccl-unhandled-cuda-error');
}

function sequenceNumbers(at: CaseInLog): ReadonlySet<number> {
  const waits = at.log.filter((other) => other.story === 'nccl-wait');
  return new Set(
    waits.map((other) => numberDetail(other, 'sequenceNumber')).filter((number) => number !== null),
  );
}

function sequenceEvidence(at: CaseInLog): Message[] {
  const numbers = [...sequenceNumbers(at)];
  if (numbers.length > 1)
    return [message('doctorEvidence.sequenceNumbersDiffer', { numbers: numbers.slice(0, 6).join(', ') })];
  const [only] = numbers;
  const operation = String(at.it.details['operation'] ?? '?');
  return only === undefined
    ? []
    : [message('doctorEvidence.sequenceNumber', { number: String(only), operation })];
}
