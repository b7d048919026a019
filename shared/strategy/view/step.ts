/** A plan's step as it is shown: which cards go through the same one, and what of it the drawing leaves out. */
import { message, type Message } from '../../i18n/message';
import type { CardEstimate } from '../../memory/estimate';
import { distinctRanks, highestPoint, phaseSpans } from '../../memory/view/course';
import { MiB } from '../../units';
import { tightestCard } from '../tightest';
import type { Plan } from '../types';

/** Cards on which the step is the same. */
export interface StepGroup {
  /** The one whose step is shown. */
  readonly card: CardEstimate;
  /** All of them, as nvidia-smi counts, rising. */
  readonly indices: readonly number[];
  /** Whether the card that decides whether the plan fits is among them. */
  readonly isTightest: boolean;
}

/** The groups in nvidia-smi's order. `cards`: the plan's, with or without the course of their steps. */
export function stepGroups(plan: Plan, cards: readonly CardEstimate[]): readonly StepGroup[] {
  const deciding = tightestCard(plan.cards)?.rank;
  const groups = distinctRanks(cards).flatMap((ranks): readonly StepGroup[] => {
    const [card] = ranks;
    if (card === undefined) return [];
    const indices = ranks.map(({ rank }) => plan.cardIndices[rank] ?? rank).sort((a, b) => a - b);
    return [{ card, indices, isTightest: ranks.some(({ rank }) => rank === deciding) }];
  });
  return groups.sort((one, other) => (one.indices[0] ?? 0) - (other.indices[0] ?? 0));
}

/** A difference that nobody can see in a drawing. */
const samePeakBytes = MiB;

/**
 * What the process holds at the highest point of the step that is drawn, in bytes, where another step is higher: the first one may be,
 * before or while the optimizer's state is made. Null where the drawn step has the peak, or none is drawn.
 */
export function drawnPeakBytes({ allocatedPeakBytes, contextBytes, timeline }: CardEstimate): number | null {
  const highest = highestPoint(timeline);
  const bytes = highest === null ? undefined : timeline[highest]?.allocatedBytes;
  if (bytes === undefined || allocatedPeakBytes - bytes <= samePeakBytes) return null;
  return bytes + contextBytes;
}

/**
 * Which of a step's micro-batches are drawn, where not all are: what repeats is played once, and the last one of DDP differs, so it is
 * drawn as the third. Null where all are, or nothing is drawn.
 */
export function drawnMicroBatches(
  { request, strategy }: Plan,
  { timeline }: Pick<CardEstimate, 'timeline'>,
): Message | null {
  const { accumulation: count } = request.training;
  const rounds = Math.max(0, ...phaseSpans(timeline).map(({ round }) => round));
  if (rounds === 0 || count === 1) return null;
  if (strategy === 'pipeline') return message('planStep.pipelineShown');
  if (count <= rounds) return null;
  return rounds > 2
    ? message('planStep.roundsAndLastShown', { count })
    : message('planStep.roundsShown', { count });
}
