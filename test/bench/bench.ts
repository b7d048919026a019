import type { VirtualScreen } from '../../build/display/xvfb.mjs';
import type { Launcher } from '../../build/electron/launcher.mjs';

/**
 * A file `test/bench/*.bench.ts` exports `name: string` and `run: Bench`. Absolute times of one machine say little
 * about another, so what counts is a ratio or a difference of two things measured in the same run.
 */
export type Bench = (context: BenchContext) => Promise<readonly BenchRow[]>;

export interface BenchContext {
  readonly launcher: Launcher;
  /** The built app, readable by the launcher's user. */
  readonly appFolder: string;
  /** null where the windows show on the real screen, whose pixels cannot be read. */
  readonly screen: VirtualScreen | null;
}

export interface BenchRow {
  readonly what: string;
  readonly measured: string;
  /** What it is compared with. */
  readonly baseline: string;
  readonly result: string;
  readonly aim: string | null;
  /** null where there is no aim. */
  readonly aimMet: boolean | null;
}

/** The middle of some numbers; of an even count, the lower one of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.ceil(sorted.length / 2) - 1];
  if (middle === undefined) throw new RangeError('no values');
  return middle;
}
