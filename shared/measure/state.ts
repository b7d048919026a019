/** Where a measurement stands, as the window shows it. */
import type { Message } from '../i18n/message';

export type MeasureRun =
  /** Main's own question, or its dialog for a file, waits for an answer. */
  | { readonly kind: 'question'; readonly planId: string }
  | {
      readonly kind: 'running';
      readonly planId: string;
      /** `looking`: whether the Python has what the plan needs; `measuring`: the two steps. */
      readonly phase: 'looking' | 'measuring';
      /** Seconds since the epoch. */
      readonly startedAt: number;
      readonly limitSeconds: number;
      readonly command: string;
      /** The newest lines that were printed, oldest first. */
      readonly lines: readonly string[];
      readonly stopping: boolean;
    }
  | {
      readonly kind: 'done';
      readonly planId: string;
      readonly level: 'info' | 'warning' | 'critical';
      /** What came of it, and what to do. */
      readonly texts: readonly Message[];
      /** What was printed, where the doctor may find a cause in it; null: there is nothing to look for. */
      readonly output: string | null;
    };

export interface MeasureState {
  /** The Python that a person chose; null: none yet. */
  readonly python: string | null;
  /** Null where nothing was measured since the start. */
  readonly run: MeasureRun | null;
}
