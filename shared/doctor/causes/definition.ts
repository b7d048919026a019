import type { Message } from '../../i18n/message';
import type { Context } from '../failures/readFailure';
import type { FailureKind, Fix } from '../types';

/**
 * A cause: one file. Its sentence for people stands in the `causes` area of each language under its name; sentences of
 * evidence and fixes that are its own may stand there too.
 */
export interface CauseDefinition {
  readonly name: string;
  readonly kind: FailureKind;
  /** Ways to come to it. They are independent; of several that apply, the surest speaks. */
  readonly rules: readonly CauseRule[];
  /** What to change, the most useful first, in the words of the program and place; null is left out. */
  readonly fixes: (context: Context) => readonly (Fix | null)[];
  /** Advice often given for it that does nothing here. */
  readonly useless: readonly Message[];
  readonly examples: CauseExamples;
}

/** Texts, run as tests. */
interface CauseExamples {
  /** It is the first cause of what failed first. */
  readonly first: readonly string[];
  /** Another cause comes first, or none. */
  readonly other: readonly string[];
  /** It is among the causes of a failure; for those that never lead. */
  readonly among?: readonly string[];
}

/**
 * When it applies, how often it is right then (0 to 1, checked against the recorded failures by a calibration test),
 * and what to say for it.
 */
interface CauseRule {
  readonly when: (context: Context) => boolean;
  readonly confidence: number | ((context: Context) => number);
  readonly evidence: (context: Context) => readonly Message[];
}
