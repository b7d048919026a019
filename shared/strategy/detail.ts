/** A plan looked at closely: the course of its step, what it rests on, and what each single change would do to it. */
import type { Message } from '../i18n/message';
import { type CardEstimate, type Estimate, estimate } from '../memory/estimate';
import { largestMicroBatches } from '../memory/largestOnCards';
import { secondsOf } from './draft';
import { played, quickFit } from './judge';
import { settingsAgainst } from './settingsAgainst';
import { type ChangeKind, singleChanges } from './singleChanges';
import { roomBytes } from './tightest';
import type { Plan, PlanQuestion, PlanVerdict } from './types';
import type { PlanWishes } from './wizard/answers';

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
  /** What would be held on the card with the least room then, allocator and CUDA together. */
  readonly processPeakBytes: number;
  /** By how much more room the tightest card has then, whichever it is before and after; negative: less. */
  readonly savedBytes: number;
  /** Time of a sample; 1: this plan's. */
  readonly relativeStepTime: number;
  readonly verdict: PlanVerdict | 'no';
  /** Results may differ: other parameters are trained, other bytes of them, or shorter samples. */
  readonly changesResults: boolean;
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

/** The largest micro-batch that a training on the plan's cards can begin with, which takes several plays; null where the engine refuses. */
export function largestOf({ architecture }: PlanQuestion, { request }: Plan): number | null {
  const largest = largestMicroBatches(architecture, played(request))?.atStart ?? null;
  // The search counts the building of the model, which launch files do elsewhere; a plan that fits disproves its answer.
  return largest !== null && largest < request.training.microBatch ? null : largest;
}

/** What each single change would do, one after the other: some milliseconds each. What contradicts the engine is left out. */
export function* changesOf(question: PlanQuestion, plan: Plan): Generator<PlanChange> {
  const { architecture } = question;
  const roomBefore = roomBytes(quickFit(architecture, plan.request).tightest);
  const secondsBefore = secondsOf(question, plan.request);
  for (const { changesResults, kind, name, request, wishes } of singleChanges(question, plan)) {
    if (settingsAgainst(architecture, request) !== null) continue;
    const { tightest, verdict } = quickFit(architecture, request);
    yield {
      kind,
      name,
      wishes,
      processPeakBytes: tightest.processBytes,
      savedBytes: roomBytes(tightest) - roomBefore,
      relativeStepTime: secondsOf(question, request) / secondsBefore,
      verdict: verdict ?? 'no',
      changesResults,
    };
  }
}
