import type { Message } from '../i18n/message';
import type { EndingSignal } from '../jobs/types';

/** How far the ending of a job is. Seconds are those that the processes still get to end by themselves. */
export type EndingProgress =
  | { readonly phase: 'asked'; readonly left: number; readonly secondsLeft: number }
  /** Waits for the second yes. */
  | { readonly phase: 'asking-to-force'; readonly left: number }
  | { readonly phase: 'forcing'; readonly left: number }
  /** Everything has ended that will; nvidia-smi still shows its memory. */
  | { readonly phase: 'memory' };

/** `already-gone`: it ended, or its pid went to another process, before anything was done. */
type EndResult = 'ended' | 'already-gone';

interface EndedProcess {
  readonly pid: number;
  /** The last signal that it got; null for none. SIGCONT is not counted. */
  readonly signal: EndingSignal | null;
  readonly result: EndResult;
}

interface RemainingProcess {
  readonly pid: number;
  /** Why it is still there, and what a person can do. */
  readonly why: Message;
}

/** What came of ending a job. */
export interface EndingReport {
  readonly ended: readonly EndedProcess[];
  readonly remaining: readonly RemainingProcess[];
  /** Memory of cards that came back; null where nvidia-smi does not say. */
  readonly memoryBackBytes: number | null;
  readonly tookSeconds: number;
}

/** A process as the person saw it when asking to end it: the pid alone may be another process's by now. */
export interface ShownProcess {
  readonly pid: number;
  readonly startTime: number;
}

/** What the window gets for asking to free a job. */
export type FreeOutcome =
  { readonly kind: 'cancelled' } | { readonly kind: 'done'; readonly report: EndingReport };

/** Tells the window how far an ending is. */
export interface EndingNews {
  readonly jobId: string;
  readonly progress: EndingProgress;
}

/** More processes than one job has on a workstation. */
export const mostShownProcesses = 4096;
