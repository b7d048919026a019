/** Whether a candidate fits its cards: by the quick form while many are compared, by whole plays for those that are shown. */
import type { Message } from '../i18n/message';
import { evidenceOf } from '../memory/evidence';
import { cardBytesOf, contextBytes, scatterOf, unmeasuredConnections } from '../memory/cardEstimate';
import { type EstimateRequest, gradientSyncOf } from '../memory/configuration';
import { type CardEstimate, estimate } from '../memory/estimate';
import { rankAlike } from '../memory/plays';
import { forwardFor } from '../memory/chooseForward';
import { processInterval } from '../memory/interval';
import { quickPeakBytes } from '../memory/quick';
import { spreadOf, stageShares } from '../memory/spread';
import type { Architecture } from '../model/architecture';
import { isTied, stageLayers } from '../model/stages';
import { MiB } from '../units';
import { logitsOf } from './logits';
import { cardOf } from './requestCard';
import { type CardNeed, tightestCard } from './tightest';
import type { PlanVerdict } from './types';

/**
 * The request as it is played: a first micro-batch, which meets no gradients, and another stand for any number. Where gradients are
 * exchanged in the last one only, there is a third kind between them. A pipeline has buffers for each and leaves out by itself what repeats.
 */
export function played(request: EstimateRequest): EstimateRequest {
  const { strategy, training } = request;
  if (strategy === 'pipeline') return request;
  // DeepSpeed's stage 1 knows no other way than to reduce in the last one.
  const reducesInLast = strategy === 'zero1' || gradientSyncOf(strategy, training) === 'last';
  const kinds = reducesInLast ? 3 : 2;
  return { ...request, training: { ...training, accumulation: Math.min(kinds, training.accumulation) } };
}

/** A rank's allocated peak; ranks that do the same are told once. */
export interface RankPeak {
  readonly rank: number;
  readonly bytes: number;
}

/** The allocated peaks of the ranks that differ, in some milliseconds each. */
export function quickPeaks(architecture: Architecture, request: EstimateRequest): readonly RankPeak[] {
  const asked = played(request);
  const { forward } = forwardFor(architecture);
  return [...new Set(ranksAlike(architecture, asked))].map((rank) => ({
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
 * For each rank the first one that needs as much or more: only those are played. Of a pipeline's stages between the first and the last,
 * which differ by their layers and by the micro-batches that wait on them, the earliest of each number of layers and size of card.
 */
function ranksAlike(architecture: Architecture, request: EstimateRequest): readonly number[] {
  if (request.strategy !== 'pipeline')
    return Array.from({ length: request.world }, (_, rank) => rankAlike(request, rank));
  const shares = stageShares(request);
  const layers = stageLayers(architecture, shares) ?? [];
  const kinds = layers.map((count, index) =>
    index === 0 || index === layers.length - 1 ? `${index}` : `inner ${count} ${shares[index] ?? 1}`,
  );
  return kinds.map((kind) => kinds.indexOf(kind));
}

/** What a rank's process holds outside of the allocator, before it is known whether cuDNN is loaded: with it where the card has it. */
export function expectedContext(architecture: Architecture, request: EstimateRequest, rank: number): number {
  const card = cardOf(request);
  const facts = { usesCudnn: card.cudnnAttention, rank, isTied: isTied(architecture) };
  return contextBytes(card, request, facts);
}

/** What a rank is expected to hold on its card at its peak, in bytes. */
export interface RankNeed extends CardNeed {
  readonly rank: number;
  /** The allocator's part. */
  readonly peakBytes: number;
  readonly contextBytes: number;
}

/** How all ranks stand beside their cards, by the quick form. */
export interface QuickFit {
  /** One a rank, in the order of the request's cards. */
  readonly ranks: readonly RankNeed[];
  /** The rank with the least room left on its card. */
  readonly tightest: RankNeed;
  /** The worst of all ranks; null: does not fit. */
  readonly verdict: PlanVerdict | null;
}

/**
 * The quick peaks of all ranks, each against its own card, which the request names. Throws for a pipeline that the model cannot be cut
 * for, which `settingsAgainst` refuses.
 */
export function quickFit(architecture: Architecture, request: EstimateRequest): QuickFit {
  const need = (rank: number, peakBytes: number): RankNeed => {
    const context = expectedContext(architecture, request, rank);
    const cardBytes = cardBytesOf(request, rank);
    return { rank, peakBytes, contextBytes: context, processBytes: peakBytes + context, cardBytes };
  };
  const logits = logitsOf(architecture, request)?.bytes ?? 0;
  // A batch whose logits alone are beyond every card is not played: that would take the longer, the larger it is.
  if (logits > largestCardBytes(request)) {
    const beyond = need(request.world - 1, logits);
    return { ranks: [beyond], tightest: beyond, verdict: null };
  }
  const peaks = new Map(quickPeaks(architecture, request).map(({ bytes, rank }) => [rank, bytes]));
  const ranks = ranksAlike(architecture, request).map((alike, rank) => need(rank, peaks.get(alike) ?? 0));
  const tightest = tightestCard(ranks);
  if (tightest === null) throw new Error('The model cannot be cut into these stages.');
  const verdicts = ranks.map((rank) => quickVerdict(architecture, request, rank));
  const verdict = verdicts.includes(null) ? null : verdicts.includes('tight') ? 'tight' : 'fits';
  return { ranks, tightest, verdict };
}

/** Infinity where no cards are named. */
function largestCardBytes({ cardMib }: EstimateRequest): number {
  return cardMib.length === 0 ? Infinity : Math.max(...cardMib) * MiB;
}

/** The verdict on a rank's card from its quick peak; null: does not fit. */
function quickVerdict(
  architecture: Architecture,
  request: EstimateRequest,
  { cardBytes, contextBytes: context, peakBytes, processBytes, rank }: RankNeed,
): PlanVerdict | null {
  const card = cardOf(request);
  const { highBytes } = processInterval({
    reservedBytes: [peakBytes],
    contextBytes: context,
    unmeasured: unmeasuredConnections(card, request, rank),
    contextKnown: card.measured || request.contextMib !== null,
    evidence: evidenceOf(architecture, request, card),
    scatter: scatterOf(request, rank, isTied(architecture)),
  });
  if (cardBytes === null || highBytes <= cardBytes) return 'fits';
  return processBytes <= cardBytes ? 'tight' : null;
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
