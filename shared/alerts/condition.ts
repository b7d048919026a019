import type { AlertRule } from '../contract/alertRules';
import type { Alert, Snapshot } from '../contract/snapshot';
import type { Message } from '../i18n/message';

/** The levels at which the rules speak; a part of the settings. */
export interface AlertThresholds {
  readonly nearlyFullPercent: number;
  readonly willFillSeconds: number;
  readonly hostMemoryPercent: number;
  readonly hotCelsius: number;
}

/**
 * What a rule sees at one moment. `on` raises an alert once it has lasted; `hold` is the band of the hysteresis: it
 * keeps an alert that was raised and never raises one. `event` is something that happened, not something that lasts.
 */
export interface Condition {
  readonly rule: AlertRule;
  /** The same thing has the same id at the next moment: rule and card, or rule and job. */
  readonly id: string;
  readonly phase: 'on' | 'hold' | 'event';
  readonly severity: Alert['severity'];
  readonly gpuIndex: number | null;
  readonly jobId: string | null;
  readonly text: Message;
}

export interface RuleInput {
  readonly snapshot: Snapshot;
  readonly previous: Snapshot | null;
  readonly thresholds: AlertThresholds;
  /** Pids that were ended through Headroom: their end is no failure. */
  readonly endedPids: ReadonlySet<number>;
}

/** One rule: what holds now, and how long it must hold before it is worth a word. */
export interface Rule {
  readonly rule: AlertRule;
  readonly minimumSeconds: number;
  readonly conditions: (input: RuleInput) => readonly Condition[];
}

/** How far a value must fall below its level before the next crossing counts, in the level's own unit (percent, °C). */
const hysteresis = 5;

/** Whether a value is at its level or above, in the band below it, or (null) clear of both: noise raises nothing twice. */
export function phaseOf(value: number, level: number): Extract<Condition['phase'], 'on' | 'hold'> | null {
  return value >= level ? 'on' : value > level - hysteresis ? 'hold' : null;
}

const urgency = { critical: 0, warning: 1, info: 2 } as const;

/** The order of a list of alerts: the most severe first, and of those the newest. */
export function byUrgency(a: Alert, b: Alert): number {
  return urgency[a.severity] - urgency[b.severity] || b.since - a.since;
}
