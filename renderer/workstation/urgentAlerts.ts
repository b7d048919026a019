import { ruleNamed } from '../../shared/alerts/rules';
import { severities } from '../../shared/alerts/severity';
import type { Alert } from '../../shared/alerts/snapshot';

export interface UrgentAlert {
  readonly alert: Alert;
  /** The same script ended so before, on the same card: shown once, or tries in a row would push the cards out of sight. */
  readonly earlier: readonly Alert[];
}

/**
 * The alerts that stand above the cards, the most severe first; the others are told in the row of their card or by what is
 * uneven. An event that one script caused several times on one card counts once.
 */
export function urgentAlerts(standing: readonly Alert[]): readonly UrgentAlert[] {
  const groups = new Map<string, Alert[]>();
  const above = standing
    .filter(({ rule }) => ruleNamed(rule).aboveCards === true)
    .toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
  for (const alert of above) {
    const { repeats = false } = ruleNamed(alert.rule);
    const key = repeats ? JSON.stringify([alert.rule, alert.gpuIndex, alert.jobTitle]) : alert.id;
    groups.set(key, [...(groups.get(key) ?? []), alert]);
  }
  return [...groups.values()]
    .map((alerts) => alerts.toSorted((a, b) => b.since - a.since))
    .flatMap(([alert, ...earlier]) => (alert === undefined ? [] : [{ alert, earlier }]));
}
