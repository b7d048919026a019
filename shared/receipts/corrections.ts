/**
 * What receipts teach about later plans on the same card and driver: the size of the context, and by how much estimates are off. A
 * correction is taken only where receipts agree; it is small, and said with the answer.
 */
import { message, type Message } from '../i18n/message';
import type { CardEstimate, Verdict } from '../memory/cardEstimate';
import type { GpuModel } from '../gpu/models';
import type { BytesByKind } from '../memory/timeline';
import { median } from '../numbers';
import { MiB } from '../units';
import { isSettled, receiptDifference, signedPercent } from './difference';
import type { Receipt } from './types';

export interface Correction {
  /** To be added to the context that the card's table gives; null: nothing learnt. */
  readonly contextBytes: number | null;
  readonly contextReceipts: number;
  /** Measured over expected less one, for the allocator; null: nothing learnt, or too little to matter. */
  readonly share: number | null;
  readonly shareReceipts: number;
}

export const noCorrection: Correction = {
  contextBytes: null,
  contextReceipts: 0,
  share: null,
  shareReceipts: 0,
};

/** Older receipts may be of another PyTorch. */
const newest = 20;
/** One receipt of a context is a reading; a second says that it holds. */
const leastContexts = 2;
const contextSpreadBytes = 64 * MiB;
const leastShares = 3;
const shareSpread = 0.02;
/** Half a percent is what the engine's own interval allows for. */
const leastShare = 0.005;
/** More than this is no fault of the engine but another training than was planned. */
const mostShare = 0.1;

/** What the receipts of one kind of card under one driver teach. Unknown names or drivers match nothing. */
export function correctionFor(
  receipts: readonly Receipt[],
  cardName: string | null,
  driverVersion: string | null,
): Correction {
  if (cardName === null || driverVersion === null) return noCorrection;
  const ours = receipts
    .filter((receipt) => !receipt.simulated && receipt.driverVersion === driverVersion)
    .filter(({ ranks }) => ranks.every((rank) => rank.cardName === cardName))
    .sort((one, other) => other.startedAt - one.startedAt)
    .slice(0, newest);
  const contexts = ours.flatMap((receipt) => contextError(receipt) ?? []);
  const shares = ours.flatMap((receipt) => shareOf(receipt) ?? []);
  return {
    contextBytes: agreed(contexts, leastContexts, contextSpreadBytes),
    contextReceipts: contexts.length,
    share: usable(agreed(shares, leastShares, shareSpread)),
    shareReceipts: shares.length,
  };
}

/** By how much the context differed from the planned one: what nvidia-smi showed less what PyTorch reserved. */
function contextError({ correction, ranks }: Receipt): number | null {
  const errors = ranks.flatMap(({ planned, processBytes, reservedBytes, steadyReadings }) =>
    processBytes === null || reservedBytes === null || steadyReadings < 2 || processBytes < reservedBytes
      ? []
      : [processBytes - reservedBytes - planned.contextBytes + correction.contextBytes],
  );
  return errors.length === 0 ? null : median(errors);
}

/** What the engine by itself was off: a plan that was corrected already would else teach that nothing needs correcting. */
function shareOf(receipt: Receipt): number | null {
  const found = receiptDifference(receipt);
  if (found === null) return null;
  const share = (1 + found.share) * (1 + receipt.correction.share) - 1;
  if (found.of === 'allocated') return share;
  // Seen from outside only: it must have come through its first steps, or it shows how far it got.
  const rank = receipt.ranks[found.rank];
  const reachedItsPeak = rank !== undefined && isSettled(rank);
  return reachedItsPeak && receipt.end !== 'died' && receipt.end !== 'failed' ? share : null;
}

function agreed(values: readonly number[], least: number, spread: number): number | null {
  if (values.length < least) return null;
  return Math.max(...values) - Math.min(...values) <= spread ? median(values) : null;
}

function usable(share: number | null): number | null {
  if (share === null || Math.abs(share) < leastShare || Math.abs(share) > mostShare) return null;
  return share;
}

/** The card with the context that was found on this machine; its extras (cuDNN, NCCL) stay what they are. */
export function correctedCard(card: GpuModel, { contextBytes }: Correction): GpuModel {
  if (contextBytes === null) return card;
  const base = Math.max(0, Math.round(card.context.base + contextBytes));
  return { ...card, measured: true, context: { ...card.context, base } };
}

/** Estimates moved by the share, with the verdict that follows. Intervals grow so far that they hold what was estimated and what is learnt. */
export function correctedEstimates(
  cards: readonly CardEstimate[],
  { share }: Correction,
): readonly CardEstimate[] {
  if (share === null) return cards;
  return cards.map((card) => {
    const reservedPeakBytes = Math.round(card.reservedPeakBytes * (1 + share));
    const moved = reservedPeakBytes - card.reservedPeakBytes;
    const interval = {
      lowBytes: card.interval.lowBytes + Math.min(0, moved),
      highBytes: card.interval.highBytes + Math.max(0, moved),
    };
    const processBytes = reservedPeakBytes + card.contextBytes;
    return {
      ...card,
      peak: { ...card.peak, byKind: scaled(card.peak.byKind, 1 + share) },
      timeline: card.timeline.map((point) => ({
        ...point,
        allocatedBytes: Math.round(point.allocatedBytes * (1 + share)),
        byKind: scaled(point.byKind, 1 + share),
      })),
      allocatedPeakBytes: Math.round(card.allocatedPeakBytes * (1 + share)),
      reservedPeakBytes,
      processBytes,
      interval,
      verdict: correctedVerdict(card, interval.highBytes, share),
    };
  });
}

function scaled(byKind: BytesByKind, factor: number): BytesByKind {
  const { activations, buffers, gradients, logits, optimizer, parameters, workspace } = byKind;
  return {
    parameters: Math.round(parameters * factor),
    gradients: Math.round(gradients * factor),
    optimizer: Math.round(optimizer * factor),
    activations: Math.round(activations * factor),
    logits: Math.round(logits * factor),
    buffers: Math.round(buffers * factor),
    workspace: Math.round(workspace * factor),
  };
}

/** What did not fit as played is not made to fit by a share. */
function correctedVerdict(card: CardEstimate, highBytes: number, share: number): Verdict {
  const { allocatedPeakBytes, cardBytes, contextBytes, verdict } = card;
  if (cardBytes === null || verdict === null || verdict === 'no') return verdict;
  if (highBytes <= cardBytes) return verdict === 'fits' ? 'fits' : 'tight';
  return allocatedPeakBytes * (1 + share) + contextBytes <= cardBytes ? 'tight' : 'no';
}

/**
 * The corrections in words, to stand among an answer's assumptions; empty where nothing was learnt.
 * @param card the card that was estimated with, corrected already; null: none
 */
export function correctionTexts(correction: Correction, card: GpuModel | null): readonly Message[] {
  const { contextBytes, contextReceipts, share, shareReceipts } = correction;
  return [
    ...(contextBytes === null || card === null
      ? []
      : [
          message('receipts.contextCorrected', {
            count: contextReceipts,
            context: card.context.base,
          }),
        ]),
    ...(share === null
      ? []
      : [message('receipts.shareCorrected', { count: shareReceipts, share: signedPercent(share) })]),
  ];
}
