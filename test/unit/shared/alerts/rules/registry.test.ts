import { expect, test } from 'vitest';
import { alertRules, isRuleName, ruleNamed, severityOf } from '../../../../../shared/alerts/rules';
import { isThrottleFault } from '../../../../../shared/alerts/rules/throttled';
import { forecastSeverity } from '../../../../../shared/alerts/rules/willFill';
import { byUrgency, worstSeverity } from '../../../../../shared/alerts/severity';

test('the names and severities that settings, snoozes and scripts go by', () => {
  expect(Object.fromEntries(alertRules.map(({ name, severity }) => [name, severity]))).toMatchObject({
    'nearly-full': 'warning',
    'will-fill': 'critical',
    uneven: 'warning',
    'stale-job': 'warning',
    'rank-lost': 'warning',
    'died-on-full-card': 'critical',
    'host-memory': 'critical',
    hot: 'warning',
    throttled: 'warning',
    'card-lost': 'critical',
    'ecc-errors': 'critical',
  });
});

test('each rule is found by its name, and no two have one', () => {
  for (const rule of alertRules) expect(ruleNamed(rule.name)).toBe(rule);
  expect(isRuleName('hot')).toBe(true);
  expect(isRuleName('a-rule-of-tomorrow')).toBe(false);
});

test('rows have the severity of the alert about the same thing', () => {
  expect(severityOf('ecc-errors')).toBe('critical');
  expect(forecastSeverity({ willFill: true, etaSeconds: 60 })).toBe(severityOf('will-fill'));
  expect(forecastSeverity({ willFill: true, etaSeconds: 7200 })).toBe('warning'); // A leak.
  expect(forecastSeverity({ willFill: false, etaSeconds: 60 })).toBe('info');
  expect(['sw_power_cap', 'hw_thermal_slowdown', 'sync_boost'].filter(isThrottleFault)).toEqual([
    'hw_thermal_slowdown',
  ]);
});

test('the most severe comes first, and of those the newest', () => {
  const alerts = [
    { severity: 'info', since: 9 },
    { severity: 'critical', since: 1 },
    { severity: 'critical', since: 5 },
    { severity: 'warning', since: 7 },
  ] as const;
  expect(alerts.toSorted(byUrgency).map(({ severity, since }) => `${severity} ${since}`)).toEqual([
    'critical 5',
    'critical 1',
    'warning 7',
    'info 9',
  ]);
  expect(worstSeverity(['info', 'warning'])).toBe('warning');
  expect(worstSeverity([])).toBeNull();
});
