/** Whether a candidate fits its cards: by the quick form while many are compared, by whole plays for those that are shown. */
import type { Message } from '../i18n/message';
import { isMeasured } from '../memory/assumptions';
import { contextBytes, scatterOf, unmeasuredConnectionBytes } from '../memory/cardEstimate';
import type { EstimateRequest } from '../memory/configuration';
import { type CardEstimate, estimate } from '../memory/estimate';
import { forwardFor } from '../memory/families/registry';
import { processInterval } from '../memory/interval';
import { quickPeakBytes } from '../memory/quick';
import { spreadOf, stageShares } from '../memory/spread';
import type { Architecture } from '../model/architecture';
import { stageLayers } from '../model/stages';
import { logitsOf } from './logits';
import { cardOf } from './stepTime';
import { MiB } from '../units';
import type { PlanVerdict } from './types';

/**
 * The request as it is played: a first micro-batch, which meets no gradients, and another stand for any number. DDP exchanges gradients
 * in the last one only, so it has a third kind between them. A pipeline has buffers for each and leaves out by itself what repeats.
 */
export function played(request: EstimateRequest): EstimateRequest {
  const { strategy, training } = request;
  if (strategy === 'pipeline') return request;
  const kinds = strategy.startsWith('ddp') ? 3 : 2;
  return { ...request, training: { ...training, accumulation: Math.min(kinds, training.accumulation) } };
}

/** The allocated peak of one rank in bytes, in some milliseconds. */
export function quickPeak(architecture: Architecture, request: EstimateRequest): number {
  return Math.max(...quickPeaks(architecture, request).map(({ bytes }) => bytes));
}

/** A rank's allocated peak; ranks that do the same are told once. */
export interface RankPeak {
  readonly rank: number;
  readonly bytes: number;
}

/** The allocated peaks of the ranks that differ. */
export function quickPeaks(architecture: Architecture, request: EstimateRequest): readonly RankPeak[] {
  const asked = played(request);
  const { forward } = forwardFor(architecture);
  const ranks = asked.strategy === 'pipeline' ? tellingStages(architecture, asked) : [0];
  return ranks.map((rank) => ({
    rank,
    bytes: quickPeakBytes(
      architecture,
      forward,
      asked.training,
      cardOf(request),
      spreadOf(architecture, asked, rank),
    ),
  }));
}

/**
 * Stages among which the fullest is, for its card: of those between the first and the last, which differ by their layers and by the
 * micro-batches that wait on them, the earliest of each number of layers and size of card.
 */
function tellingStages(architecture: Architecture, request: EstimateRequest): readonly number[] {
  const shares = stageShares(request);
  const layers = stageLayers(architecture, shares) ?? [];
  const kinds = layers.map((count, index) =>
    index === 0 || index === layers.length - 1 ? `${index}` : `inner ${count} ${shares[index] ?? 1}`,
  );
  return kinds.flatMap((kind, index) => (kinds.indexOf(kind) === index ? [index] : []));
}

/** What a process holds outside of the allocator, before it is known whether cuDNN is loaded: with it where the card has it. */
export function expectedContext(request: EstimateRequest): number {
  const card = cardOf(request);
  // Of a pipeline's stages those between the first and the last have most connections.
  const rank = request.world > 2 ? 1 : 0;
  return contextBytes(card, request, { usesCudnn: card.cudnnAttention, rank, isTied: false });
}

/** How the rank stands that comes closest to its card, or is farthest beyond it. */
export interface QuickFit {
  readonly rank: number;
  readonly peakBytes: number;
  readonly verdict: PlanVerdict | null;
}

/** The quick peaks of all ranks against their cards, which the request names. */
export function quickFit(architecture: Architecture, request: EstimateRequest): QuickFit {
  const sizes = request.cardMib.map((mib) => mib * MiB);
  const smallest = Math.min(...sizes);
  const logits = logitsOf(architecture, request)?.bytes ?? 0;
  // A batch whose logits alone are beyond every card is not played: that would take the longer, the larger it is.
  if (logits > Math.max(...sizes)) return { rank: request.world - 1, peakBytes: logits, verdict: null };
  const slacks = quickPeaks(architecture, request).map(({ bytes, rank }) => {
    const cardBytes = request.strategy === 'pipeline' ? (sizes[rank] ?? smallest) : smallest;
    return { rank, peakBytes: bytes, cardBytes, slack: cardBytes - bytes };
  });
  const tightest = slacks.reduce((least, one) => (one.slack < least.slack ? one : least));
  const { cardBytes, peakBytes, rank } = tightest;
  return { rank, peakBytes, verdict: quickVerdict(request, peakBytes, cardBytes) };
}

/** The verdict on the smallest card from the quick peak; null: does not fit. */
export function quickVerdict(
  request: EstimateRequest,
  peakBytes: number,
  cardBytes: number,
): PlanVerdict | null {
  const card = cardOf(request);
  const context = expectedContext(request);
  const { highBytes } = processInterval({
    reservedBytes: [peakBytes],
    contextBytes: context,
    unmeasuredBytes: unmeasuredConnectionBytes(card, request),
    contextKnown: card.measured || request.contextMib !== null,
    measured: isMeasured(request),
    scatter: scatterOf(request, 0, false),
  });
  if (highBytes <= cardBytes) return 'fits';
  return peakBytes + context <= cardBytes ? 'tight' : null;
}

export type Judgement =
  | {
      readonly kind: 'judged';
      readonly cards: readonly CardEstimate[];
      /** The worst of the cards' verdicts. */
      readonly verdict: PlanVerdict | 'no';
      readonly hostBytes: number;
      readonly measured: boolean;
    }
  | { readonly kind: 'refused'; readonly why: Message };

/** The answer of the whole engine but for the largest micro-batch, which a plan does not need. */
export function judge(architecture: Architecture, request: EstimateRequest): Judgement {
  const answer = estimate(architecture, played(request), false);
  if (answer.kind === 'refused') return { kind: 'refused', why: answer.reason };
  const { cards, hostBytes, measured } = answer.estimate;
  const verdicts = cards.map(({ verdict }) => verdict);
  const verdict = verdicts.includes('no') ? 'no' : verdicts.includes('tight') ? 'tight' : 'fits';
  return { kind: 'judged', cards, verdict, hostBytes, measured };
}
