/** The rules that can raise an alert; each has a switch in the settings. The names are stable. */
export const alertRules = [
  'nearly-full',
  'will-fill',
  'uneven',
  'stale-job',
  'rank-lost',
  'died-on-full-card',
  'host-memory',
  'hot',
  'throttled',
  'card-lost',
  'ecc-errors',
] as const;
export type AlertRule = (typeof alertRules)[number];
