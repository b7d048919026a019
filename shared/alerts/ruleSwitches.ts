import type { AlertRule } from './rules';

/** What the settings keep of the rules: the names of those that are switched off. */
interface RulesOff {
  readonly rulesOff: readonly string[];
}

/** Whether a rule may raise alerts. */
export function isRuleOn({ rulesOff }: RulesOff, rule: AlertRule): boolean {
  return !rulesOff.includes(rule);
}

/** The names of the rules that are off once some are switched. */
export function switchRules(
  { rulesOff }: RulesOff,
  switches: Readonly<Partial<Record<AlertRule, boolean>>>,
): string[] {
  const switched = (to: boolean): readonly string[] =>
    Object.entries(switches).flatMap(([name, isOn]) => (isOn === to ? [name] : []));
  return [...new Set([...rulesOff, ...switched(false)])].filter((name) => !switched(true).includes(name));
}
