import type { AlertRule } from '../../shared/contract/alertRules';
import type { Alert } from '../../shared/contract/snapshot';

/**
 * The rules whose alerts stand above the cards, the most urgent first. The others are told in the row of their card or
 * by what is uneven; these would be found only in the table of jobs, in the tab of the host or behind the bell.
 */
const rules: readonly AlertRule[] = ['died-on-full-card', 'host-memory', 'stale-job', 'rank-lost'];

export function urgentAlerts(standing: readonly Alert[]): readonly Alert[] {
  return rules.flatMap((rule) => standing.filter((alert) => alert.rule === rule));
}
