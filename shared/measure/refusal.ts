import { message, type Message } from '../i18n/message';
import type { LaunchPlan } from '../launch/plan';

/** Why a plan is not measured on this machine; null: it may be. `cardCount`: cards that answer now. */
export function measureRefusal(plan: LaunchPlan, cardCount: number): Message | null {
  if (plan.nodes > 1) return message('measure.manyNodes');
  if (plan.method === 'qlora') return message('measure.quantised');
  if (plan.offload === 'nvme') return message('measure.nvme');
  if (cardCount === 0) return message('measure.noCards');
  if (plan.world > cardCount) return message('measure.tooFewCards', { world: plan.world, count: cardCount });
  return null;
}
