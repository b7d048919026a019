/** What a plan foretold and what came: kept for every run that was tied to a plan. Sizes are bytes, times seconds since the epoch. */
import type { AppliedCorrection, PlannedRank } from '../launch/plan';
import type { PlanSettings } from '../launch/savedPlan';

/** `job`: a run that was watched. `measurement`: the short dry run that Headroom started itself. */
export type ReceiptSource = 'job' | 'measurement';

/**
 * How a run ended, as far as it was seen. `finished`: its own log says that it did all its steps. `failed`: it said that it failed.
 * `died`: it vanished from a full card. `freed`: Headroom ended it. `ended`: it is gone, and nothing says how. `unseen`: Headroom was
 * not running when it ended.
 */
export type ReceiptEnd = 'running' | 'finished' | 'failed' | 'died' | 'freed' | 'ended' | 'unseen';

export interface ReceiptRank {
  readonly rank: number;
  /** nvidia-smi's index of the card, and its name; null before it held one. */
  readonly gpuIndex: number | null;
  readonly cardName: string | null;
  readonly planned: PlannedRank;
  /** PyTorch's `max_memory_allocated` after the first steps, from the run's own log; null: not told. */
  readonly allocatedPeakBytes: number | null;
  /** PyTorch's `memory_reserved` at a report, rounded to a hundredth of a GiB there; null: not told. */
  readonly reservedBytes: number | null;
  /** The most that nvidia-smi showed of the process; null before it held a card. */
  readonly processBytes: number | null;
  /** Readings of the card since `processBytes` last rose. */
  readonly steadyReadings: number;
}

export interface Receipt {
  readonly id: string;
  readonly planId: string;
  /** The plan's name. */
  readonly name: string;
  readonly settings: PlanSettings;
  /** What of the planned bytes had been learnt on this machine before. */
  readonly correction: AppliedCorrection;
  readonly source: ReceiptSource;
  /** The job that was watched; null for a measurement. */
  readonly jobId: string | null;
  /** From a scene of the simulated workstation: shown, but nothing is learnt from it. */
  readonly simulated: boolean;
  readonly driverVersion: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly end: ReceiptEnd;
  readonly ranks: readonly ReceiptRank[];
}
