import { message } from '../../i18n/message';
import { onCard } from '../condition';
import type { Rule } from '../rule';

/** An uncorrected error has ended what ran on the card, or given it wrong numbers. */
export const eccErrors: Rule<'ecc-errors'> = {
  name: 'ecc-errors',
  title: message('alerts.ruleEccErrors'),
  severity: 'critical',
  minimumSeconds: 0,
  conditions: ({ snapshot }) =>
    snapshot.cards.flatMap((card) => {
      const count = card.eccUncorrectedErrors ?? 0;
      if (count === 0) return [];
      return [onCard(card, 'on', message('alerts.eccErrors', { card: card.index, count }))];
    }),
};
