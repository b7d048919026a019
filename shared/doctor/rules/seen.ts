import { message } from '../../i18n/message';
import type { CaseInLog } from '../case';
import { outside } from './evidence';
import { othersHoldMuch } from './numbers';
import { numberDetail, told, type Rule } from './rule';

/** The format of a failure that no text tells: Headroom saw a process end on a full card. */
export const seenFormat = 'seen-by-headroom';

/** An even rise of so long is a leak to the forecast, too. */
const leakSeconds = 300;
/** A process that has run so long is past its first steps: their peaks fitted. */
const provenSeconds = 600;
const hostFullShare = 0.95;

/**
 * Causes of an end that was watched and left no message. What a process asked for last is not known, so nothing here is
 * as sure as a message with its numbers; how its memory moved before is known, which no message tells.
 */
export const seenRules: readonly Rule[] = [
  {
    cause: 'leak_graph_retained',
    when: (at) => isSeen(at) && !othersHoldMuch(at) && detail(at, 'risingForSeconds') >= leakSeconds,
    confidence: 0.75,
    evidence: rise,
  },
  {
    cause: 'too_small_card_or_batch',
    when: (at) => isSeen(at) && !othersHoldMuch(at) && !isProven(at),
    confidence: (at) => (detail(at, 'risingForSeconds') >= leakSeconds ? 0.4 : 0.62),
    evidence: own,
  },
  {
    cause: 'batch_too_large',
    when: (at) => isSeen(at) && !othersHoldMuch(at) && isProven(at),
    confidence: (at) => (detail(at, 'risingForSeconds') >= leakSeconds ? 0.35 : 0.5),
    evidence: own,
  },
  {
    cause: 'long_sample_spike',
    when: (at) => isSeen(at) && !othersHoldMuch(at) && isProven(at) && detail(at, 'risingForSeconds') === 0,
    confidence: 0.45,
    evidence: own,
  },
  {
    cause: 'sibling_process_same_job',
    when: (at) => isSeen(at) && othersHoldMuch(at) && detail(at, 'siblingsOnCard') > 0,
    confidence: 0.88,
    evidence: outside,
  },
  {
    cause: 'all_ranks_on_gpu0',
    when: (at) =>
      isSeen(at) &&
      othersHoldMuch(at) &&
      at.it.facts.gpuIndex === 0 &&
      at.it.rank !== null &&
      at.it.rank !== 0 &&
      detail(at, 'siblingsOnCard') > 0,
    confidence: 0.9,
    evidence: outside,
  },
  {
    cause: 'host_ram',
    when: (at) =>
      isSeen(at) &&
      detail(at, 'hostUsedBytes') > hostFullShare * (numberDetail(at.it, 'hostTotalBytes') ?? Infinity),
    confidence: 0.6,
    evidence: (at) => [
      message('doctorEvidence.seenHost', {
        used: numberDetail(at.it, 'hostUsedBytes'),
        total: numberDetail(at.it, 'hostTotalBytes'),
      }),
    ],
  },
];

function isSeen(at: CaseInLog): boolean {
  return told(at, seenFormat);
}

function isProven(at: CaseInLog): boolean {
  return detail(at, 'ranForSeconds') >= provenSeconds;
}

/** 0 where it is not known: the rules ask for more than something. */
function detail(at: CaseInLog, name: string): number {
  return numberDetail(at.it, name) ?? 0;
}

function rise(at: CaseInLog) {
  return [
    message('doctorEvidence.seenRise', {
      slope: numberDetail(at.it, 'slopeBytesPerSecond'),
      since: numberDetail(at.it, 'risingForSeconds'),
    }),
  ];
}

function own(at: CaseInLog) {
  const { own: held, capacity } = at.it.quantities;
  if (held === null || capacity === null || capacity === 0) return [];
  return [message('doctorEvidence.seenOwn', { held, share: (100 * held) / capacity })];
}
