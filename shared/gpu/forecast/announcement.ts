import type { Fill } from './fill';
import { alertSeconds, sureSeconds } from './warning';

/** An alert about a card that will be full, as long as it stands. */
export interface Announcement {
  /** When it was made, and the time left then (seconds). */
  readonly at: number;
  readonly etaSeconds: number;
  readonly etaRangeSeconds: readonly [number, number];
  readonly slopeBytesPerSecond: number;
  readonly risingForSeconds: number;
  /** 1 for the first, then one more each time that the same growth is announced again. */
  readonly number: number;
  /** The pids of those that grew; null: memory that no listed process holds. */
  readonly pids: readonly (number | null)[];
}

/** What is remembered between two looks at a card. */
export interface AnnouncementMemory {
  readonly standing: Announcement | null;
  /** Since when every look has said that the card will fill. */
  readonly warnedSince: number | null;
  /** Since when it has not. */
  readonly quietSince: number | null;
}

export const noAnnouncement: AnnouncementMemory = { standing: null, warnedSince: null, quietSince: null };

/** Growth that rests for less than this goes on: a missed look, an evaluation, a checkpoint. */
const leastQuietSeconds = 60;

/**
 * One growth is one alert. It is raised when every look has said so for `sureSeconds`, and again when the end has come nearer by half
 * of what was left of the time announced, or when two minutes are left of an end that was announced at least twice as far ahead. It
 * stands until none of those that grew is there any more, or the growth has rested for as long as it had been seen.
 */
export function announce(
  memory: AnnouncementMemory,
  now: number,
  fill: Fill | null,
  living: { readonly pids: ReadonlySet<number | null>; readonly growing: readonly (number | null)[] },
): AnnouncementMemory {
  const standing =
    memory.standing?.pids.some((pid) => living.pids.has(pid)) === true ? memory.standing : null;
  if (fill?.willFill !== true || fill.etaSeconds === null || fill.etaRangeSeconds === null) {
    const quietSince = memory.quietSince ?? now;
    const isOver =
      standing !== null && now - quietSince >= Math.max(leastQuietSeconds, standing.risingForSeconds);
    return { standing: isOver ? null : standing, warnedSince: null, quietSince };
  }
  const warnedSince = memory.warnedSince ?? now;
  const isSure = now - warnedSince >= sureSeconds;
  if (!isSure || (standing !== null && !isNews(standing, now, fill.etaSeconds)))
    return { standing, warnedSince, quietSince: null };
  const made: Announcement = {
    at: now,
    etaSeconds: fill.etaSeconds,
    etaRangeSeconds: fill.etaRangeSeconds,
    slopeBytesPerSecond: fill.slopeBytesPerSecond,
    risingForSeconds: fill.risingForSeconds,
    number: (standing?.number ?? 0) + 1,
    pids: living.growing,
  };
  return { standing: made, warnedSince, quietSince: null };
}

function isNews({ at, etaSeconds: announced }: Announcement, now: number, etaSeconds: number): boolean {
  if (etaSeconds > announced / 2) return false;
  const expected = announced - (now - at);
  return etaSeconds <= alertSeconds ? announced >= 2 * alertSeconds : etaSeconds < expected / 2;
}
