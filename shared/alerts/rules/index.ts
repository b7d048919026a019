import type { Message } from '../../i18n/message';
import type { Rule } from '../rule';
import type { Severity } from '../severity';
import { cardLost } from './cardLost';
import { diedOnFullCard } from './diedOnFullCard';
import { eccErrors } from './eccErrors';
import { hostMemory } from './hostMemory';
import { hot } from './hot';
import { nearlyFull } from './nearlyFull';
import { rankLost } from './rankLost';
import { sharedMemory } from './sharedMemory';
import { staleJob } from './staleJob';
import { throttled } from './throttled';
import { uneven } from './uneven';
import { willFill } from './willFill';

/** The rules that can raise an alert, in the order of their switches in the settings. */
export const alertRules = [
  nearlyFull,
  willFill,
  uneven,
  staleJob,
  rankLost,
  diedOnFullCard,
  hostMemory,
  sharedMemory,
  hot,
  throttled,
  cardLost,
  eccErrors,
] as const;

/** The name of a rule: what an alert carries, and what the settings and snoozes go by. */
export type AlertRule = (typeof alertRules)[number]['name'];

/** The rule of that name. */
export function ruleNamed(name: AlertRule): Rule<AlertRule> {
  const found = alertRules.find((rule) => rule.name === name);
  // The names are those of the list, so there is one.
  if (found === undefined) throw new Error(`no rule is called ${name}`);
  return found;
}

/** Whether a stored name is one of a rule of this version. */
export function isRuleName(name: string): name is AlertRule {
  return alertRules.some((rule) => rule.name === name);
}

export function ruleTitle(name: AlertRule): Message {
  return ruleNamed(name).title;
}

/** How severe what a rule sees is: the one opinion, for alerts, rows and the tray. */
export function severityOf(name: AlertRule): Severity {
  return ruleNamed(name).severity;
}
