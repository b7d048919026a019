/** What the estimator says about published figures. */
import { type CardEstimate, estimate, type Estimate } from '../../../shared/memory/estimate';
import type { FigureKind, PublishedQuestion, PublishedRow } from './rows';

export interface PublishedResult {
  readonly question: PublishedQuestion;
  readonly row: PublishedRow;
  /** Bytes that are expected for a figure of the row's kind; null where the question is refused. */
  readonly expectedBytes: number | null;
  /** Relative, positive: too high; null where no figure was published. */
  readonly error: number | null;
  /** The interval as shares of the expected bytes. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly holds: boolean | null;
  readonly says: 'fits' | 'oom' | null;
  readonly measured: boolean;
}

export function playPublished(question: PublishedQuestion): PublishedResult {
  const { row } = question;
  const answer = answerTo(question);
  const card = answer?.cards.reduce((largest, each) =>
    each.processBytes > largest.processBytes ? each : largest,
  );
  const nothing = { error: null, interval: null, holds: null, says: null } as const;
  if (answer === null || card === undefined)
    return { question, row, expectedBytes: null, measured: false, ...nothing };
  const expectedBytes = bytesOfKind(card, row.published.kind);
  const interval = {
    low: card.interval.lowBytes / card.processBytes,
    high: card.interval.highBytes / card.processBytes,
  };
  const { bytes } = row.published;
  const share = bytes === null ? null : bytes / expectedBytes;
  return {
    question,
    row,
    expectedBytes,
    measured: answer.measured,
    error: bytes === null ? null : expectedBytes / bytes - 1,
    interval,
    holds: share === null ? null : interval.low <= share && share <= interval.high,
    says: saysOf(answer),
  };
}

/**
 * Without the search for the largest micro-batch, which costs ten times as much. Where the run as it begins does not complete though its
 * tensors would fit, the whole answer counts, which a run after smaller ones decides.
 */
function answerTo({ architecture, request }: PublishedQuestion): Estimate | null {
  const quick = estimate(architecture, request, false);
  if (quick.kind === 'refused') return null;
  const isDoubtful = quick.estimate.cards.some(
    ({ allocatedPeakBytes, cardBytes, contextBytes, verdict }) =>
      verdict === 'no' && cardBytes !== null && allocatedPeakBytes + contextBytes <= cardBytes,
  );
  if (!isDoubtful) return quick.estimate;
  const whole = estimate(architecture, request);
  return whole.kind === 'refused' ? null : whole.estimate;
}

/** PyTorch's own peaks where the figure is one of them. Of figures whose kind is not told most came from the allocator's cache. */
function bytesOfKind(card: CardEstimate, kind: FigureKind): number {
  switch (kind) {
    case 'allocated':
    case 'active':
      return card.allocatedPeakBytes;
    case 'reserved':
    case 'unknown':
      return card.reservedPeakBytes;
    case 'nvidia-smi':
    case 'capacity':
    case 'fit-only':
      return card.processBytes;
  }
}

function saysOf({ cards }: Estimate): PublishedResult['says'] {
  if (cards.some(({ verdict }) => verdict === null)) return null;
  return cards.some(({ verdict }) => verdict === 'no') ? 'oom' : 'fits';
}
