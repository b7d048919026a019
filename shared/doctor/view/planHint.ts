import type { Failure } from '../types';
import type { SuspectedOomExit } from '../suspectedOomExit';

/** What a failure taught about the machine, for the wizard to start from. */
export interface PlanHint {
  readonly cards: readonly {
    readonly gpuIndex: number | null;
    readonly totalBytes: number;
    /** What other processes left, which is what a plan may use; null where it is not told. */
    readonly availableBytes: number | null;
  }[];
  /** How many ranks the text shows: a job of so many processes. */
  readonly ranks: number | null;
  /** The model was being put on the card: what did not fit are the weights, not a batch. */
  readonly whileLoading: boolean;
  /** The lines of the text around the failure, which may name the model; '' where there is no text. */
  readonly text: string;
  /** The process that Headroom saw fail on this machine, with its command where it is known; null: it was not seen here. */
  readonly seenHere: { readonly command: readonly string[] | null } | null;
}

/**
 * @param failures all failures of a text, so that several cards of one job become several cards of a plan
 * @param text the lines around the failure
 * @param seen the end on this machine that the text is about; null: none is known
 * @returns null where neither tells of a card
 */
export function planHint(
  failures: readonly Failure[],
  text: string,
  seen: SuspectedOomExit | null,
): PlanHint | null {
  const cards = new Map<string, PlanHint['cards'][number]>();
  for (const { facts } of failures) {
    if (facts.capacityBytes === null) continue;
    cards.set(`${facts.gpuIndex ?? ''}`, {
      gpuIndex: facts.gpuIndex,
      totalBytes: facts.capacityBytes,
      availableBytes: availableBytes(facts),
    });
  }
  if (cards.size === 0 && seen === null) return null;
  const ranks = new Set(failures.flatMap(({ rank }) => (rank === null ? [] : [rank])));
  return {
    cards: [...cards.values()].sort((a, b) => (a.gpuIndex ?? 0) - (b.gpuIndex ?? 0)),
    ranks: ranks.size > 0 ? Math.max(...ranks) + 1 : null,
    whileLoading: failures.some(({ causes }) => causes[0]?.cause === 'replicated_model_per_rank'),
    text,
    seenHere: seen === null ? null : { command: seen.command },
  };
}

/** What is free and what this process held: all that it could have had. */
function availableBytes({
  freeBytes,
  thisProcessBytes,
  reservedBytes,
  allocatedBytes,
}: Failure['facts']): number | null {
  const own = Math.max(thisProcessBytes ?? 0, reservedBytes ?? allocatedBytes ?? 0);
  return freeBytes === null ? null : freeBytes + own;
}
