import { fullness } from '../../gpu/fullness';
import { message } from '../../i18n/message';
import { onCard, phaseOf } from '../condition';
import type { Rule } from '../rule';

export const nearlyFull: Rule<'nearly-full'> = {
  name: 'nearly-full',
  title: message('alerts.ruleNearlyFull'),
  severity: 'warning',
  minimumSeconds: 5,
  conditions: ({ snapshot, thresholds }) =>
    snapshot.cards.flatMap((card) => {
      const { memoryUsedBytes: used, memoryTotalBytes: total } = card;
      const share = fullness(card);
      if (card.lost || share === null || used === null || total === null) return [];
      const percent = 100 * share;
      const phase = phaseOf(percent, thresholds.nearlyFullPercent);
      if (phase === null) return [];
      const values = { card: card.index, percent, left: total - used };
      return [onCard(card, phase, message('alerts.nearlyFull', values))];
    }),
};
