import { message } from '../../i18n/message';
import { onCard } from '../condition';
import type { Rule } from '../rule';

/**
 * Of nvidia-smi's reasons for clocks that are held down, those that tell of a fault. The power limit holds every busy card
 * down a little; only heat and the board's own brakes are worth an alert.
 */
const faults: ReadonlyMap<string, 'heat' | 'power'> = new Map([
  ['hw_slowdown', 'heat'],
  ['sw_thermal_slowdown', 'heat'],
  ['hw_thermal_slowdown', 'heat'],
  ['hw_power_brake_slowdown', 'power'],
]);

/** Whether clocks that are held down for this reason are a fault, in the row of a card as in the alerts. */
export function isThrottleFault(reason: string): boolean {
  return faults.has(reason);
}

export const throttled: Rule<'throttled'> = {
  name: 'throttled',
  title: message('alerts.ruleThrottled'),
  severity: 'warning',
  minimumSeconds: 30,
  conditions: ({ snapshot }) =>
    snapshot.cards.flatMap((card) => {
      const fault = card.throttleReasons.flatMap((reason) => faults.get(reason) ?? [])[0];
      if (card.lost || fault === undefined) return [];
      const text =
        fault === 'power'
          ? message('alerts.throttledByPower', { card: card.index })
          : message('alerts.throttledByHeat', { card: card.index });
      return [onCard(card, 'on', text)];
    }),
};
