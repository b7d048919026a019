import type { ReadFailure } from './failures/readFailure';
import { diagnosisOf } from './diagnosis';
import { quantitiesOf } from './failures/quantities';
import { seenFormat } from './judging/seen';
import { unknownEnvironment } from './words/environment';
import { seenEvidence } from './seenEvidence';
import { noFacts, type Failure } from './types';
import type { SuspectedOomExit } from './suspectedOomExit';

/**
 * The end of a process that Headroom saw, as a failure without a text: judged by the same rules as a message with the
 * same numbers, its likeliest cause with everything that was seen as evidence. Its line is 0, as it stands in no text.
 */
export function failureSeen(seen: SuspectedOomExit): Failure | null {
  const [failure] = diagnosisOf([{ failure: readSeen(seen), occurrences: 1 }], 0).failures;
  const [first, ...others] = failure?.causes ?? [];
  if (failure === undefined || first === undefined) return failure ?? null;
  return { ...failure, causes: [{ ...first, evidence: seenEvidence(seen) }, ...others] };
}

function readSeen(seen: SuspectedOomExit): ReadFailure {
  const facts = {
    ...noFacts,
    gpuIndex: seen.gpuIndex,
    capacityBytes: seen.totalBytes,
    freeBytes: seen.freeBytes,
    thisProcessBytes: seen.processBytes,
    processes: seen.others,
  };
  return {
    format: seenFormat,
    formats: [seenFormat],
    story: 'gpu-oom',
    kind: 'oom',
    role: 'cause',
    line: 0,
    rank: seen.rank,
    time: null,
    facts,
    details: detailsOf(seen),
    quantities: quantitiesOf(facts, true),
    fresh: true,
    signs: new Set(),
    progress: null,
    growth: null,
    environment: unknownEnvironment,
    smiRows: [],
    excerpt: '',
    content: `${seenFormat}/${seen.pid}/${seen.gpuIndex}`,
  };
}

/** What the rules ask of such an exit beside the card's numbers; what is not known is left out, as in a message. */
function detailsOf(seen: SuspectedOomExit): Readonly<Record<string, number>> {
  const { forecast, hostUsedBytes, hostTotalBytes, ranForSeconds, ranks, gpuIndex } = seen;
  const rising = forecast?.state === 'growing' ? forecast : null;
  const known: Readonly<Record<string, number | null>> = {
    ranForSeconds,
    risingForSeconds: rising?.risingForSeconds ?? null,
    slopeBytesPerSecond: rising?.slopeBytesPerSecond ?? null,
    siblingsOnCard: ranks.filter((rank) => rank.gpuIndex === gpuIndex).length,
    hostUsedBytes,
    hostTotalBytes,
  };
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}
