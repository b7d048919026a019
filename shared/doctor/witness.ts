import type { Snapshot } from '../contract/snapshot';
import { message, type Message } from '../i18n/message';
import { GiB } from '../units';
import type { Diagnosis, Failure } from './types';

/** A process that held much of a nearly full card and then was gone: what Headroom itself can say of a failure. */
export interface Witness {
  /** Seconds since the epoch. */
  readonly time: number;
  readonly gpuIndex: number;
  readonly pid: number;
  readonly name: string;
  readonly jobId: string | null;
  readonly processBytes: number;
  readonly usedBytes: number;
  readonly totalBytes: number;
  /** What the other processes of the card held. */
  readonly othersBytes: number;
  readonly hostUsedBytes: number | null;
  readonly hostTotalBytes: number | null;
}

const leastProcessBytes = GiB;
const fullShare = 0.9;

/** The processes of `before` that are gone in `after`, where their card was nearly full. */
export function witnessesBetween(before: Snapshot, after: Snapshot): Witness[] {
  const alive = new Set(after.processes.map(({ pid }) => pid));
  return before.processes.flatMap(({ pid, gpuIndex, usedBytes, name }) => {
    if (
      pid === null ||
      gpuIndex === null ||
      usedBytes === null ||
      usedBytes < leastProcessBytes ||
      alive.has(pid)
    )
      return [];
    const card = before.cards.find(({ index }) => index === gpuIndex);
    const used = card?.memoryUsedBytes ?? null;
    const total = card?.memoryTotalBytes ?? null;
    if (used === null || total === null || used < fullShare * total) return [];
    const others = before.processes
      .filter((process) => process.gpuIndex === gpuIndex && process.pid !== pid)
      .reduce((sum, process) => sum + (process.usedBytes ?? 0), 0);
    const job = before.jobs.find(({ members }) => members.some(({ process }) => process.pid === pid));
    return [
      {
        time: after.time,
        gpuIndex,
        pid,
        name: job?.title ?? name ?? '?',
        jobId: job?.id ?? null,
        processBytes: usedBytes,
        usedBytes: used,
        totalBytes: total,
        othersBytes: others,
        hostUsedBytes: before.host.memoryUsedBytes,
        hostTotalBytes: before.host.memoryTotalBytes,
      },
    ];
  });
}

/** A text is about a failure of the last quarter of an hour, or it is an old one. */
const longestSeconds = 15 * 60;

/**
 * Adds what Headroom saw to the evidence of the failures that it fits: the same card and the same size of card, not
 * long ago. Does not change the ranking: the text's own numbers stay the judge.
 * @param now seconds since the epoch
 */
export function joinWitnesses(diagnosis: Diagnosis, witnesses: readonly Witness[], now: number): Diagnosis {
  const fresh = witnesses.filter(({ time }) => now - time <= longestSeconds);
  if (fresh.length === 0) return diagnosis;
  return { ...diagnosis, failures: diagnosis.failures.map((failure) => withWitness(failure, fresh)) };
}

function withWitness(failure: Failure, witnesses: readonly Witness[]): Failure {
  const seen = witnesses.findLast((witness) => fits(failure, witness));
  const [first, ...others] = failure.causes;
  if (seen === undefined || first === undefined) return failure;
  return { ...failure, causes: [{ ...first, evidence: [...first.evidence, ...words(seen)] }, ...others] };
}

/** Drivers count a card's size a little differently: the allocator's capacity is up to some percent below. */
function fits({ kind, facts, role }: Failure, { gpuIndex, totalBytes }: Witness): boolean {
  if (role !== 'cause' || (kind !== 'oom' && kind !== 'host-oom' && kind !== 'leak' && kind !== 'zombie'))
    return false;
  if (facts.gpuIndex !== null && facts.gpuIndex !== gpuIndex) return false;
  return facts.capacityBytes === null || Math.abs(facts.capacityBytes - totalBytes) < 0.08 * totalBytes;
}

function words(seen: Witness): Message[] {
  const { name, pid, gpuIndex, usedBytes, totalBytes, othersBytes, hostUsedBytes, hostTotalBytes } = seen;
  return [
    message('doctorEvidence.seen', {
      name,
      pid: String(pid),
      gpuIndex: String(gpuIndex),
      used: usedBytes,
      total: totalBytes,
    }),
    ...(othersBytes > GiB / 2 ? [message('doctorEvidence.seenOthers', { held: othersBytes })] : []),
    ...(hostUsedBytes !== null && hostTotalBytes !== null && hostUsedBytes > 0.93 * hostTotalBytes
      ? [message('doctorEvidence.seenHostFull', { used: hostUsedBytes, total: hostTotalBytes })]
      : []),
  ];
}
