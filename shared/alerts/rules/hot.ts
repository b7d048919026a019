import { message } from '../../i18n/message';
import { onCard, phaseOf } from '../condition';
import type { Rule } from '../rule';

export const hot: Rule<'hot'> = {
  name: 'hot',
  title: message('alerts.ruleHot'),
  severity: 'warning',
  minimumSeconds: 10,
  conditions: ({ snapshot, thresholds }) =>
    snapshot.cards.flatMap((card) => {
      if (card.lost || card.temperatureC === null) return [];
      const phase = phaseOf(card.temperatureC, thresholds.hotCelsius);
      if (phase === null) return [];
      const values = { card: card.index, celsius: card.temperatureC };
      return [onCard(card, phase, message('alerts.hot', values))];
    }),
};
