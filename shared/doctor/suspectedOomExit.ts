import type { Card } from '../gpu/types';
import type { Forecast } from '../gpu/forecast/forecast';
import type { WorkstationState } from '../snapshot/types';
import type { Message } from '../i18n/message';
import type { Job, JobMember } from '../jobs/types';
import { GiB } from '../units';
import { seenEvidence } from './seenEvidence';
import type { Diagnosis, Failure } from './types';

/** Another rank of the job whose process ended: where it stood at the last reading before. */
export interface SeenRank {
  readonly pid: number;
  readonly rank: number | null;
  readonly gpuIndex: number | null;
  readonly usedBytes: number | null;
  /** Whether it was gone at the next reading, too. */
  readonly ended: boolean;
}

/**
 * A process that held much of a nearly full card and then was gone: all that Headroom itself can say of a failure. The
 * numbers are those of the last reading before the end.
 */
export interface SuspectedOomExit {
  /** Seconds since the epoch at which it was first gone. */
  readonly time: number;
  readonly gpuIndex: number;
  readonly cardName: string | null;
  readonly pid: number;
  readonly rank: number | null;
  readonly name: string;
  readonly command: readonly string[] | null;
  readonly jobId: string | null;
  readonly processBytes: number;
  /** How long it had run; null where its start is not known. */
  readonly ranForSeconds: number | null;
  readonly usedBytes: number;
  readonly totalBytes: number;
  readonly freeBytes: number | null;
  /** The other processes of the card. */
  readonly others: readonly { readonly pid: number; readonly bytes: number }[];
  readonly ranks: readonly SeenRank[];
  /** What was forecast of the process: rates in bytes a second, times in seconds. */
  readonly forecast: Pick<
    Forecast,
    'state' | 'slopeBytesPerSecond' | 'etaSeconds' | 'risingForSeconds'
  > | null;
  /** What was uneven about its job. */
  readonly uneven: readonly Message[];
  readonly hostUsedBytes: number | null;
  readonly hostTotalBytes: number | null;
}

/**
 * A process this large is a training process, and a card this full refuses the next request. Memory is given back in steps while a
 * process ends: one that ran out on an H200 at 95 % was at 91.7 % in the last reading before it was gone.
 */
const leastProcessBytes = GiB;
const fullShare = 0.9;

/**
 * The processes of `before` that are gone in `after` from a card that was nearly full and still answers.
 * @param endedPids those that were ended on purpose: their end is no failure
 */
export function suspectedOomExitsBetween(
  before: WorkstationState,
  after: WorkstationState,
  endedPids: ReadonlySet<number> = new Set(),
): readonly SuspectedOomExit[] {
  if (!isSameSource(before, after)) return [];
  const alive = new Set(after.processes.map(({ pid }) => pid));
  return before.processes.flatMap(({ pid, gpuIndex, usedBytes, name }): readonly SuspectedOomExit[] => {
    if (pid === null || gpuIndex === null || alive.has(pid) || endedPids.has(pid)) return [];
    if (usedBytes === null || usedBytes < leastProcessBytes) return [];
    const card = before.cards.find(({ index }) => index === gpuIndex);
    const used = card?.memoryUsedBytes ?? null;
    const total = card?.memoryTotalBytes ?? null;
    if (card === undefined || used === null || total === null || used < fullShare * total) return [];
    if (!answersIn(after, card)) return [];
    const job = before.jobs.find(({ members }) => members.some(({ process }) => process.pid === pid)) ?? null;
    const member = job?.members.find(({ process }) => process.pid === pid) ?? null;
    return [
      {
        time: after.time,
        gpuIndex,
        cardName: card.name,
        pid,
        rank: member?.rank ?? null,
        name: job?.title ?? name ?? `pid ${pid}`,
        command: member?.process.command ?? null,
        jobId: job?.id ?? null,
        processBytes: usedBytes,
        ranForSeconds: ageOf(member, before.time),
        usedBytes: used,
        totalBytes: total,
        freeBytes: card.memoryFreeBytes,
        others: othersOn(before, gpuIndex, pid),
        ranks: job === null ? [] : ranksBeside(job, pid, alive),
        forecast: before.forecast.find((one) => one.pid === pid && one.gpuIndex === gpuIndex) ?? null,
        uneven: before.imbalance
          .filter(({ jobIds }) => job !== null && jobIds.includes(job.id))
          .map(({ what }) => what),
        hostUsedBytes: before.host.memoryUsedBytes,
        hostTotalBytes: before.host.memoryTotalBytes,
      },
    ];
  });
}

function isSameSource(before: WorkstationState, after: WorkstationState): boolean {
  return before.source.kind === after.source.kind && before.source.sceneId === after.source.sceneId;
}

/**
 * A card that no longer answers tells nothing of its processes: only a card still read can have lost one. Trouble with
 * another card, or that a card has no memory of its own, takes nothing from its list.
 */
function answersIn(snapshot: WorkstationState, card: Card): boolean {
  const now = snapshot.cards.find(({ index }) => index === card.index);
  const isTrusted = snapshot.problems.every(
    ({ code, gpuIndex }) => code === 'unified-memory' || (gpuIndex !== null && gpuIndex !== card.index),
  );
  return now !== undefined && !now.lost && now.memoryUsedBytes !== null && isTrusted;
}

function ageOf(member: JobMember | null, time: number): number | null {
  const startedAt = member?.process.startedAt ?? null;
  return startedAt === null ? null : Math.max(0, time - startedAt);
}

function othersOn({ processes }: WorkstationState, card: number, own: number): SuspectedOomExit['others'] {
  return processes.flatMap(({ pid, gpuIndex, usedBytes }) =>
    gpuIndex === card && pid !== null && pid !== own && usedBytes !== null && usedBytes > 0
      ? [{ pid, bytes: usedBytes }]
      : [],
  );
}

function ranksBeside(job: Job, own: number, alive: ReadonlySet<number | null>): readonly SeenRank[] {
  const onCards = ({ process, cards }: JobMember): boolean => process.pid !== own && cards.length > 0;
  return job.members.filter(onCards).map(({ process, rank, cards }) => ({
    pid: process.pid,
    rank,
    gpuIndex: cards[0]?.gpuIndex ?? null,
    usedBytes: cards[0]?.usedBytes ?? null,
    ended: !alive.has(process.pid),
  }));
}

/** A text is about a failure of the last quarter of an hour, or it is an old one. */
const longestSeconds = 15 * 60;

/**
 * Adds what Headroom saw to the evidence of the failures that it fits: the same card and the same size of card, not
 * long ago. Does not change the ranking: the text's own numbers stay the judge.
 * @param now seconds since the epoch
 * @param shown what a person looks at and brought a text for: it fits however long ago it was
 */
export function joinSuspectedOomExits(
  diagnosis: Diagnosis,
  exits: readonly SuspectedOomExit[],
  now: number,
  shown: SuspectedOomExit | null = null,
): Diagnosis {
  const ordered = lastOnesLast(exits, now, shown);
  if (ordered.length === 0) return diagnosis;
  return { ...diagnosis, failures: diagnosis.failures.map((failure) => withSuspectedExit(failure, ordered)) };
}

/**
 * The end that Headroom saw of which a text tells; null where none fits. Parameters as of {@link joinSuspectedOomExits}.
 */
export function suspectedOomExitOfText(
  failures: readonly Failure[],
  exits: readonly SuspectedOomExit[],
  now: number,
  shown: SuspectedOomExit | null,
): SuspectedOomExit | null {
  const ordered = lastOnesLast(exits, now, shown);
  return ordered.findLast((exit) => failures.some((failure) => fits(failure, exit))) ?? null;
}

/** Of several that fit, the one that is shown counts; else the newest. */
function lastOnesLast(
  exits: readonly SuspectedOomExit[],
  now: number,
  shown: SuspectedOomExit | null,
): readonly SuspectedOomExit[] {
  const fresh = exits.filter((one) => one === shown || now - one.time <= longestSeconds);
  return fresh.toSorted((a, b) => Number(a === shown) - Number(b === shown) || a.time - b.time);
}

function withSuspectedExit(failure: Failure, exits: readonly SuspectedOomExit[]): Failure {
  const seen = exits.findLast((exit) => fits(failure, exit));
  const [first, ...others] = failure.causes;
  if (seen === undefined || first === undefined) return failure;
  return {
    ...failure,
    causes: [{ ...first, evidence: [...first.evidence, ...seenEvidence(seen)] }, ...others],
  };
}

/** Drivers count a card's size a little differently: the allocator's capacity is up to some percent below. */
function fits({ kind, facts, role }: Failure, { gpuIndex, totalBytes }: SuspectedOomExit): boolean {
  if (role !== 'cause' || (kind !== 'oom' && kind !== 'host-oom' && kind !== 'leak' && kind !== 'zombie'))
    return false;
  if (facts.gpuIndex !== null && facts.gpuIndex !== gpuIndex) return false;
  return facts.capacityBytes === null || Math.abs(facts.capacityBytes - totalBytes) < 0.08 * totalBytes;
}
