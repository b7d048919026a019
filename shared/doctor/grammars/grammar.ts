import type { FailureKind, Role, Story } from '../types';
import type { GrammarRow } from '.';
import type { Vendor } from '../words/vendors';

/**
 * One way in which a failure is printed, as data. Patterns are written as the message reads, with its spaces, and are
 * matched against text without any (see lines/writers.ts), case-insensitively. A placeholder `{name:kind}` reads a
 * value; names of facts become facts, other names details. Everything else is a regular expression.
 */
export interface Grammar {
  /** The name to report, or names with what must stand in the message (or just before it); the first that fits. */
  readonly format: string | readonly FormatChoice[];
  /** What prints it; null: the system, or any program. */
  readonly framework: string | null;
  /** Whose cards it is about, where the wording tells; a choice of formats may tell better. */
  readonly vendor: Vendor | null;
  /** The first release of the framework that prints it so, `major.minor`. */
  readonly since?: string;
  /** Texts that it must be found in: run as tests. */
  readonly examples: readonly string[];
  readonly kind: FailureKind;
  /** `consequence`: what is printed where another failure is felt. */
  readonly role: Role;
  /** Lower-case texts, one of which stands in every message of this grammar; for the search through large logs. */
  readonly anchors: readonly string[];
  /** Where a message begins. */
  readonly start: string;
  /** What may follow, in any order, each within `gap` characters of what was read before. */
  readonly fields?: readonly string[];
  readonly gap?: number;
  /** Short and common words: the pattern is matched on single lines, with their spaces. */
  readonly by?: 'line';
  /** The words are common in prose: they count only where a line states them as an error. As they read, with spaces. */
  readonly statement?: RegExp;
  /** Messages of one story: a failure told twice in a few lines (driver and framework) is one failure. */
  readonly story: Story;
}

export interface FormatChoice {
  readonly name: string;
  readonly when: RegExp;
  readonly vendor?: Vendor;
  readonly since?: string;
}

export type PlaceholderKind =
  'size' | 'integer' | 'grouped' | 'gib' | 'decimal' | 'index' | 'signed' | 'word' | 'name' | 'pci' | 'path';

export interface Pattern {
  readonly expression: RegExp;
  readonly kinds: Readonly<Record<string, PlaceholderKind>>;
}

export type CompiledGrammar = GrammarRow & {
  readonly startPattern: Pattern;
  readonly fieldPatterns: readonly Pattern[];
};
