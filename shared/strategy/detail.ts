/** A plan looked at closely: the course of its step, what it rests on, and what each single change would do to it. */
import type { Message } from '../i18n/message';
import { type CardEstimate, type Estimate, estimate } from '../memory/estimate';
import { secondsOf } from './draft';
import { expectedContext, played, quickPeak, quickVerdict } from './judge';
import { type ChangeKind, singleChanges } from './singleChanges';
import type { Plan, PlanQuestion, PlanVerdict } from './types';
import type { PlanWishes } from './wizard/answers';
import { settingsAgainst } from './settingsAgainst';

export interface PlanDetail {
  /** One a rank, with the course of its step. */
  readonly cards: readonly CardEstimate[];
  readonly assumptions: readonly Message[];
  readonly warnings: readonly Message[];
  readonly parameters: number;
  readonly trainableParameters: number;
  /** The largest micro-batch that completes steps on these cards; null: not known (yet). */
  readonly maxMicroBatch: number | null;
  /** Single changes, in the order from what costs nothing on; empty until they are worked out. */
  readonly changes: readonly PlanChange[];
}

export interface PlanChange {
  readonly kind: ChangeKind;
  /** The change as an instruction. */
  readonly name: Message;
  /** The answers of the wizard that this change replaces. */
  readonly wishes: Partial<PlanWishes>;
  /** What the fullest process would hold on its card, allocator and CUDA together. */
  readonly processPeakBytes: number;
  /** By how much the allocator's peak falls; negative: it rises. */
  readonly savedBytes: number;
  /** Time of a sample; 1: this plan's. */
  readonly relativeStepTime: number;
  readonly verdict: PlanVerdict | 'no';
  /** Other parameters are trained, or other bytes of them. */
  readonly changesTraining: boolean;
}

export type DetailAnswer =
  | { readonly kind: 'detail'; readonly detail: PlanDetail }
  | { readonly kind: 'refused'; readonly why: Message };

/** Plays the plan once more with the course of its step. The changes and the largest micro-batch are not worked out yet. */
export function detailOf({ architecture }: PlanQuestion, { request }: Plan): DetailAnswer {
  const answer = estimate(architecture, { ...played(request), timeline: true }, false);
  if (answer.kind === 'refused') return { kind: 'refused', why: answer.reason };
  return { kind: 'detail', detail: shown(answer.estimate) };
}

const shown = ({ hostBytes: _host, measured: _measured, ...rest }: Estimate): PlanDetail => ({
  ...rest,
  changes: [],
});

/** The largest micro-batch on the plan's cards, which takes several plays; null where the engine refuses. */
export function largestOf({ architecture }: PlanQuestion, { request }: Plan): number | null {
  const answer = estimate(architecture, played(request), true);
  const largest = answer.kind === 'estimate' ? answer.estimate.maxMicroBatch : null;
  // The search counts the building of the model, which launch files do elsewhere; a plan that fits disproves its answer.
  return largest !== null && largest < request.training.microBatch ? null : largest;
}

/** What each single change would do, one after the other: some milliseconds each. What contradicts the engine is left out. */
export function* changesOf(question: PlanQuestion, plan: Plan): Generator<PlanChange> {
  const { architecture } = question;
  const before = quickPeak(architecture, plan.request);
  const secondsBefore = secondsOf(question, plan.request);
  const cardBytes = Math.min(...plan.cards.map((card) => card.cardBytes ?? Infinity));
  for (const { changesTraining, kind, name, request, wishes } of singleChanges(question, plan)) {
    if (settingsAgainst(architecture, request) !== null) continue;
    const peakBytes = quickPeak(architecture, request);
    yield {
      kind,
      name,
      wishes,
      processPeakBytes: peakBytes + expectedContext(request),
      savedBytes: before - peakBytes,
      relativeStepTime: secondsOf(question, request) / secondsBefore,
      verdict: quickVerdict(request, peakBytes, cardBytes) ?? 'no',
      changesTraining,
    };
  }
}
