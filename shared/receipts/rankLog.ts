/** What the log of one rank of our train.py says of its memory and its end. Its words are in shared/launch/sections/run.ts. */
import { GiB } from '../units';

export interface RankLog {
  readonly allocatedPeakBytes: number | null;
  readonly reservedBytes: number | null;
  /** The steps that it says it did at its end; null while it runs, or where it never came there. */
  readonly doneSteps: number | null;
  readonly failed: boolean;
}

/** `2026-11-29 20:14:05,120 rank 3 INFO …`, as Python's logging writes it. */
const linePattern = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),\d{3} rank (\d{1,5}) (INFO|WARNING|ERROR) (.*)$/;
const peakPattern =
  /^headroom: (?:card (\d{1,4}): )?measured peak (\d{1,15}) bytes, planned (\d{1,15}) bytes/;
const reservedPattern = /, reserved (\d{1,6}\.\d\d) GiB$/;
const donePattern = /^done: (\d{1,9}) steps$/;

/**
 * Reads the log, or its last part. A file is written on by run after run: lines before `since` (`2026-11-29 20:14:00`, in the
 * machine's local time as the log's own) belong to an earlier one; null takes all. A peak that was compared with other planned
 * bytes than `plannedBytes` is another plan's.
 * @param card one process on several cards tells of each but the first by its number: `headroom: card 1: measured peak …`
 */
export function readRankLog(
  text: string,
  plannedBytes: number,
  since: string | null,
  card: number | null = null,
): RankLog {
  let log: RankLog = { allocatedPeakBytes: null, reservedBytes: null, doneSteps: null, failed: false };
  for (const line of text.split(/\r?\n/)) {
    const [, time = '', , level, said = ''] = linePattern.exec(line) ?? [];
    if (level === undefined || (since !== null && time < since)) continue;
    log = withLine(log, level, said, { plannedBytes, card });
  }
  return log;
}

interface Wanted {
  readonly plannedBytes: number;
  readonly card: number | null;
}

function withLine(log: RankLog, level: string, said: string, { card, plannedBytes }: Wanted): RankLog {
  if (level === 'ERROR') return { ...log, failed: true };
  const peak = peakPattern.exec(said);
  if (peak !== null) {
    const [, ofCard, measured, planned] = peak;
    const isMeant =
      (ofCard === undefined ? null : Number(ofCard)) === card && Number(planned) === plannedBytes;
    return isMeant ? { ...log, allocatedPeakBytes: Number(measured) } : log;
  }
  const done = donePattern.exec(said);
  if (done !== null) return { ...log, doneSteps: Number(done[1]) };
  const reserved = reservedPattern.exec(said);
  // The line of memory is about the process' first card.
  if (reserved === null || card !== null) return log;
  return { ...log, reservedBytes: Math.round(Number(reserved[1]) * GiB) };
}
