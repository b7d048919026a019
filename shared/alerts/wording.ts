import { alertRules, type AlertRule } from '../contract/alertRules';
import type { Destination } from '../contract/places';
import type { Alert } from '../contract/snapshot';
import { message, type Message } from '../i18n/message';

const names: Readonly<Record<AlertRule, Message>> = {
  'nearly-full': message('alerts.ruleNearlyFull'),
  'will-fill': message('alerts.ruleWillFill'),
  uneven: message('alerts.ruleUneven'),
  'stale-job': message('alerts.ruleStaleJob'),
  'rank-lost': message('alerts.ruleRankLost'),
  'died-on-full-card': message('alerts.ruleDiedOnFullCard'),
  'host-memory': message('alerts.ruleHostMemory'),
  hot: message('alerts.ruleHot'),
  throttled: message('alerts.ruleThrottled'),
  'card-lost': message('alerts.ruleCardLost'),
  'ecc-errors': message('alerts.ruleEccErrors'),
};

/** What a rule is called: the title of its notifications and its switch. */
export function ruleName(rule: AlertRule): Message {
  return names[rule];
}

/** The title of an alert; null for a rule that this version does not know. */
export function alertTitle({ rule }: Alert): Message | null {
  const known = alertRules.find((one) => one === rule);
  return known === undefined ? null : names[known];
}

/** Where an alert leads: to its card and job, and after a likely lack of memory to the doctor. */
export function alertDestination({ rule, gpuIndex, jobId }: Alert): Destination {
  return { place: rule === 'died-on-full-card' ? 'doctor' : 'workstation', gpuIndex, jobId };
}
