import type { Message } from '../i18n/message';

export type FindingSeverity = 'error' | 'warning' | 'info';

/** What a rule finds: line and column count from 1; `better` is code or a setting, the same in every language. */
export interface Finding {
  readonly rule: string;
  readonly severity: FindingSeverity;
  readonly line: number;
  readonly column: number;
  readonly message: Message;
  readonly why: Message;
  readonly better: string;
  /** Number of the notebook cell, from 1, whose lines are counted; null in other files. */
  readonly cell: number | null;
}

/** A rule's own words: the name says the fault, in kebab-case, and never changes. */
export interface RuleText {
  readonly rule: string;
  readonly severity: FindingSeverity;
  readonly message: Message;
  readonly why: Message;
  readonly better: string;
}

/** Where a rule applies, as a position in the text that was checked. */
export interface Hit {
  readonly at: number;
  /** A more exact message or better code for this place; absent: the rule's own. */
  readonly message?: Message;
  readonly better?: string;
}
