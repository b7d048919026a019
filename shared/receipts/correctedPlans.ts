/** Plans as receipts of this machine correct them. */
import type { CardEstimate } from '../memory/cardEstimate';
import type { Plan, PlanVerdict } from '../strategy/types';
import { correctedEstimates, type Correction } from './corrections';

/**
 * The plans with their corrected cards, ranked anew by what changed: those that do not fit any more are left out, and those that
 * have become tight come after those that fit, as far as both train what was asked.
 */
export function correctedPlans(plans: readonly Plan[], correction: Correction): readonly Plan[] {
  if (correction.share === null) return plans;
  const kept = plans.flatMap((plan) => {
    const cards = correctedEstimates(plan.cards, correction);
    const verdict = worst(cards, plan.verdict);
    return verdict === 'no' ? [] : [{ ...plan, cards, verdict }];
  });
  return kept
    .sort(
      (one, other) =>
        Number(one.changesTraining) - Number(other.changesTraining) ||
        Number(one.verdict === 'tight') - Number(other.verdict === 'tight') ||
        one.rank - other.rank,
    )
    .map((plan, place) => ({ ...plan, rank: place + 1 }));
}

function worst(cards: readonly CardEstimate[], before: PlanVerdict): PlanVerdict | 'no' {
  const verdicts = cards.map(({ verdict }) => verdict);
  if (verdicts.includes('no')) return 'no';
  return verdicts.includes('tight') ? 'tight' : before;
}
