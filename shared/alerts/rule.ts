import type { Place } from './places';
import type { WorkstationState } from '../snapshot/types';
import type { SuspectedOomExit } from '../doctor/suspectedOomExit';
import type { Message } from '../i18n/message';
import type { Severity } from './severity';

/** The levels at which the rules speak; a part of the settings. */
export interface AlertThresholds {
  readonly nearlyFullPercent: number;
  readonly willFillSeconds: number;
  readonly hostMemoryPercent: number;
  readonly hotCelsius: number;
}

/** What the rules look at. */
export interface RuleInput {
  readonly snapshot: WorkstationState;
  readonly thresholds: AlertThresholds;
  /** The processes that were on a full card at the reading before and are gone now. */
  readonly oomExits: readonly SuspectedOomExit[];
}

/**
 * What a rule sees at one moment. `on` raises an alert once it has lasted; `hold` is the band of the hysteresis: it
 * keeps an alert that was raised and never raises one. `event` is something that happened, not something that lasts.
 */
export interface Condition {
  /** What it is about: the same card or job has the same subject at the next moment; null where there is but one. */
  readonly subject: string | null;
  readonly phase: 'on' | 'hold' | 'event';
  /** Where this one is less severe than the rule says. */
  readonly severity?: Severity;
  readonly gpuIndex: number | null;
  readonly jobId: string | null;
  /** The title of the job or script that it is about, where there is one. */
  readonly jobTitle: string | null;
  readonly text: Message;
}

/**
 * One rule: when it speaks, how severe that is, in which words, and what a person does about it. A rule is a file of
 * rules/, a row in rules/index.ts, and its words in `alerts` of both catalogues.
 */
export interface Rule<Name extends string = string> {
  /** Stable: the settings and the snoozes go by it. */
  readonly name: Name;
  /** The title of its notifications, and its switch in the settings. */
  readonly title: Message;
  readonly severity: Severity;
  /** How long it must hold before it is worth a word. */
  readonly minimumSeconds: number;
  /** The view in which something can be done about it; the Workstation where none is named. */
  readonly view?: Place;
  /**
   * Its alerts stand above the cards: else they would be found only in the table of jobs, in the tab of the host or behind
   * the bell.
   */
  readonly aboveCards?: boolean;
  /** It tells of events, which one script may cause again and again: above the cards they are one line. */
  readonly repeats?: boolean;
  readonly conditions: (input: RuleInput) => readonly Condition[];
}
