import type { AlertRule } from '../../shared/contract/alertRules';
import type { Alert } from '../../shared/contract/snapshot';

/**
 * The rules whose alerts stand above the cards, the most urgent first. The others are told in the row of their card or
 * by what is uneven; these would be found only in the table of jobs, in the tab of the host or behind the bell.
 */
const rules: readonly AlertRule[] = ['died-on-full-card', 'host-memory', 'stale-job', 'rank-lost'];

export interface UrgentAlert {
  readonly alert: Alert;
  /** The same script ended so before, on the same card: told once, or tries in a row would push the cards out of sight. */
  readonly earlier: readonly Alert[];
}

export function urgentAlerts(standing: readonly Alert[]): readonly UrgentAlert[] {
  return rules.flatMap((rule) => {
    const alerts = standing.filter((alert) => alert.rule === rule);
    return rule === 'died-on-full-card'
      ? newestOfEach(alerts)
      : alerts.map((alert) => ({ alert, earlier: [] }));
  });
}

function newestOfEach(alerts: readonly Alert[]): readonly UrgentAlert[] {
  const groups = new Map<string, Alert[]>();
  for (const alert of alerts.toSorted((a, b) => b.since - a.since)) {
    const key = `${alert.gpuIndex ?? ''} ${String(alert.text.values['job'])}`;
    groups.set(key, [...(groups.get(key) ?? []), alert]);
  }
  return [...groups.values()].flatMap(([alert, ...earlier]) =>
    alert === undefined ? [] : [{ alert, earlier }],
  );
}
