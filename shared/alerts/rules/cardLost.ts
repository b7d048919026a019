import { message } from '../../i18n/message';
import { onCard } from '../condition';
import type { Rule } from '../rule';

export const cardLost: Rule<'card-lost'> = {
  name: 'card-lost',
  title: message('alerts.ruleCardLost'),
  severity: 'critical',
  minimumSeconds: 0,
  conditions: ({ snapshot }) =>
    snapshot.cards
      .filter(({ lost }) => lost)
      .map((card) => onCard(card, 'on', message('alerts.cardLost', { card: card.index }))),
};
