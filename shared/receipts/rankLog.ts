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
const peakPattern = /^headroom: measured peak (\d{1,15}) bytes, planned (\d{1,15}) bytes/;
const reservedPattern = /, reserved (\d{1,6}\.\d\d) GiB$/;
const donePattern = /^done: (\d{1,9}) steps$/;

/**
 * Reads the log, or its last part. A file is written on by run after run: lines before `since` (`2026-11-29 20:14:00`, in the
 * machine's local time as the log's own) belong to an earlier one; null takes all. A peak that was compared with other planned
 * bytes than `plannedBytes` is another plan's.
 */
export function readRankLog(text: string, plannedBytes: number, since: string | null): RankLog {
  let log: RankLog = { allocatedPeakBytes: null, reservedBytes: null, doneSteps: null, failed: false };
  for (const line of text.split(/\r?\n/)) {
    const [, time = '', , level, said = ''] = linePattern.exec(line) ?? [];
    if (level === undefined || (since !== null && time < since)) continue;
    log = withLine(log, level, said, plannedBytes);
  }
  return log;
}

function withLine(log: RankLog, level: string, said: string, plannedBytes: number): RankLog {
  if (level === 'ERROR') return { ...log, failed: true };
  const peak = peakPattern.exec(said);
  if (peak !== null)
    return Number(peak[2]) === plannedBytes ? { ...log, allocatedPeakBytes: Number(peak[1]) } : log;
  const reserved = reservedPattern.exec(said);
  if (reserved !== null) return { ...log, reservedBytes: Math.round(Number(reserved[1]) * GiB) };
  const done = donePattern.exec(said);
  return done === null ? log : { ...log, doneSteps: Number(done[1]) };
}
