import { message } from '../../i18n/message';
import type { CaseInLog } from '../case';
import { has, isStory, numberDetail, told, type Rule } from './rule';

/** Card, driver and access: no setting of the training changes these. */
export const driverRules: readonly Rule[] = [
  {
    cause: 'xid_79',
    when: (at) => xid(at) === 79,
    confidence: 0.97,
    evidence: () => [message('doctorEvidence.xid', { xid: '79' })],
  },
  {
    cause: 'xid_79',
    when: (at) => told(at, 'NVRM-no-Xid') && xid(at) !== 79,
    confidence: 0.9,
    evidence: () => [message('doctorEvidence.offTheBus')],
  },
  {
    cause: 'gpu_lost',
    when: (at) => told(at, 'nvidia-smi-error'),
    confidence: 0.93,
    evidence: () => [message('doctorEvidence.noAnswer')],
  },
  {
    cause: 'xid_79',
    when: (at) => told(at, 'nvidia-smi-error') && xid(at) !== 79,
    confidence: 0.7,
    evidence: () => [message('doctorEvidence.noAnswer')],
  },
  {
    cause: 'gpu_lost',
    when: (at) =>
      told(at, 'NVRM-no-Xid', 'Xid') &&
      (xid(at) === 79 || told(at, 'NVRM-no-Xid') || gspXids.has(xid(at) ?? 0)),
    confidence: 0.7,
    evidence: (at) => [message('doctorEvidence.xid', { xid: String(xid(at) ?? '-') })],
  },
  {
    cause: 'ecc',
    when: (at) => told(at, 'ECC') || eccXids.has(xid(at) ?? 0),
    confidence: 0.95,
    evidence: (at) => [
      xid(at) === null
        ? message('doctorEvidence.eccWord')
        : message('doctorEvidence.xid', { xid: String(xid(at)) }),
    ],
  },
  {
    cause: 'exclusive_mode',
    when: (at) => told(at, 'exclusive-mode'),
    confidence: 0.78,
    evidence: () => [message('doctorEvidence.busyOrUnavailable')],
  },
  {
    cause: 'gpu_lost',
    when: (at) => told(at, 'exclusive-mode'),
    confidence: 0.25,
    evidence: () => [message('doctorEvidence.busyOrUnavailable')],
  },
  {
    cause: 'driver_mismatch',
    when: (at) => told(at, 'NVML-mismatch'),
    confidence: 0.98,
    evidence: () => [message('doctorEvidence.versionMismatch')],
  },
  {
    cause: 'wrong_device',
    when: (at) => told(at, 'nccl-duplicate-gpu'),
    confidence: 0.85,
    evidence: sharedCard,
  },
  {
    cause: 'all_ranks_on_gpu0',
    when: (at) => told(at, 'nccl-duplicate-gpu'),
    confidence: 0.6,
    evidence: sharedCard,
  },
  {
    cause: 'wrong_device',
    when: (at) => told(at, 'CUDA-no-device') && has(at, 'visibleDevicesWords'),
    confidence: 0.5,
    evidence: () => [message('doctorEvidence.noDeviceVisible')],
  },
];

/** Memory errors of the card: NVIDIA's table of Xid errors, https://docs.nvidia.com/deploy/xid-errors/. */
const eccXids: ReadonlySet<number> = new Set([48, 63, 64, 92, 94, 95]);
/** The card's own processor no longer answers. */
const gspXids: ReadonlySet<number> = new Set([61, 62, 119, 120]);

/** NCCL names the two ranks; no memory is missing, but each rank must have a card of its own. */
function sharedCard({ it }: CaseInLog) {
  const ranks = [it.details['firstRank'], it.details['secondRank']].map((rank) => String(rank ?? '?'));
  return [
    message('doctorEvidence.ranksShareCard', {
      first: ranks[0] ?? '?',
      second: ranks[1] ?? '?',
      card: String(it.details['busId'] ?? '?'),
    }),
  ];
}

function xid(at: CaseInLog): number | null {
  return isStory(at, 'driver') ? numberDetail(at.it, 'xid') : null;
}
