import type { Words } from './topics';

/**
 * A program (a trainer, a serving engine, a framework) that a failure text shows, with its own words for what can be
 * changed. One row each; the first whose sign stands in the text speaks.
 */
export interface ProgramRow {
  readonly name: string;
  /** The program whose messages it prints as well, as it runs it below. */
  readonly runs?: string;
  /** What the text around a failure holds where this program runs: its banner, its frames, its loggers. */
  readonly sign: RegExp;
  /** Whether it trains, makes images, or serves a model; advice for one is no advice for the others. */
  readonly does: 'training' | 'imaging' | 'serving';
  readonly words: Words;
  /** Whether PyTorch runs below it, so that PyTorch's own calls may be named where the program has no word. */
  readonly onPyTorch: boolean;
}
