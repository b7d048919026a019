import type { Message } from '../i18n/message';
import type { WorkstationState } from '../snapshot/types';
import type { AlertRule } from './rules';
import type { Severity } from './severity';

export interface Alert {
  readonly id: string;
  readonly rule: AlertRule;
  readonly severity: Severity;
  readonly gpuIndex: number | null;
  readonly jobId: string | null;
  /** The title of the job or script that it is about, where there is one. */
  readonly jobTitle: string | null;
  readonly text: Message;
  readonly since: number;
}

/**
 * Everything known at one moment, immutable: the readings and what deserves attention in them. It is the only thing that
 * flows from sensing to history, tray, views and `headroom watch`.
 */
export interface Snapshot extends WorkstationState {
  readonly alerts: readonly Alert[];
}
