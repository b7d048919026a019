import type { Message } from '../i18n/message';
import type { SavedPlan } from '../launch/savedPlan';
import type { Receipt } from './types';

/** A plan whose files were written, or that was found beside a running job. */
export interface RememberedPlan {
  readonly plan: SavedPlan;
  /** Seconds since the epoch. */
  readonly savedAt: number;
}

/** A job that runs and the plan that it is compared with: recognised by its launch files, or chosen by a person. */
export interface JobTie {
  readonly jobId: string;
  readonly planId: string;
  readonly by: 'launch' | 'person';
}

/** What the window knows of plans that were saved, jobs that follow them, and what came of it. */
export interface ReceiptsState {
  /** The newest first. */
  readonly plans: readonly RememberedPlan[];
  readonly ties: readonly JobTie[];
  /** The newest first. */
  readonly receipts: readonly Receipt[];
  /** What happened to the file that they are kept in. */
  readonly notice: Message | null;
}
