/** Whether a card computes, by the looks at it; newer looks count for more. */
export interface WorkSeen {
  readonly looks: number;
  /** At which share of the newest looks kernels ran for most of the time, and hardly at all; 0 to 1. */
  readonly busyShare: number;
  readonly idleShare: number;
}

export const neverLooked: WorkSeen = { looks: 0, busyShare: 0, idleShare: 0 };

/**
 * Weights are copied, not computed: while they come, kernels run for a few percent of the time at most, also where they are quantized. A
 * training that waits for its data still computes for a third of it. Between the two nobody knows.
 */
const busyPercent = 30;
const idlePercent = 10;
const leastLooks = 5;
/** A program that trains after it has loaded for minutes is known to compute after some fourteen looks. */
const newestLooks = 20;

/** What is known after one more look; `utilizationPercent` null: not readable, and nothing is learned. */
export function looked(work: WorkSeen, utilizationPercent: number | null): WorkSeen {
  if (utilizationPercent === null) return work;
  const weight = 1 / Math.min(work.looks + 1, newestLooks);
  const towards = (share: number, holds: boolean): number => share + weight * ((holds ? 1 : 0) - share);
  return {
    looks: work.looks + 1,
    busyShare: towards(work.busyShare, utilizationPercent >= busyPercent),
    idleShare: towards(work.idleShare, utilizationPercent < idlePercent),
  };
}

/** Whether it computes (true) or idles (false) at most looks; null where there were too few, or it does neither. */
export function computes({ looks, busyShare, idleShare }: WorkSeen): boolean | null {
  if (looks < leastLooks) return null;
  if (busyShare > 0.5) return true;
  return idleShare > 0.5 ? false : null;
}
