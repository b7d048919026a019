import { announce, noAnnouncement, type AnnouncementMemory } from './announcement';
import { courseOf, type Course } from './course';
import { fillOf, type Fill } from './fill';
import { noPast, remember, seriesOf, type MemoryPast } from './series';
import { computes, looked, neverLooked, type WorkSeen } from './work';

/** One look at a card: what each process holds of it and what is free. Bytes, and seconds of any origin. */
export interface CardLook {
  readonly time: number;
  readonly gpuIndex: number;
  /** Null where that is not known; then nothing is foretold. */
  readonly freeBytes: number | null;
  readonly utilizationPercent: number | null;
  readonly holders: readonly Holder[];
}

/** Who holds memory of a card; `pid` null: what no listed process holds. */
export interface Holder {
  readonly pid: number | null;
  readonly bytes: number;
}

/** What is remembered of one holder on one card. */
export interface Tracked {
  readonly past: MemoryPast;
  /** What was made of the past when it was last judged; null before the first time. */
  readonly course: Course | null;
  readonly judgedAt: number;
  /** The looks at which this holder had the card for itself. */
  readonly work: WorkSeen;
  /** Whether the card computed at all, and for this holder alone, when this one last took memory; null where that is not known. */
  readonly tookWhile: { readonly cardComputed: boolean | null; readonly computedAlone: boolean | null };
}

/** What is remembered of one card. */
export interface CardMemoryReading {
  readonly holders: ReadonlyMap<number | null, Tracked>;
  readonly work: WorkSeen;
  readonly announcement: AnnouncementMemory;
}

/** What is foretold of one card, and of each of its holders. */
export interface CardOutlook {
  readonly fill: Fill | null;
  readonly judged: readonly { readonly pid: number | null; readonly tracked: Tracked }[];
  /** The pids of those by whose growth the card fills. */
  readonly growing: readonly (number | null)[];
}

export const noCard: CardMemoryReading = {
  holders: new Map(),
  work: neverLooked,
  announcement: noAnnouncement,
};

/** The memory of a card with one more look in it, before anything of it is judged. Who is no longer there is forgotten. */
export function lookAt(before: CardMemoryReading, look: CardLook): CardMemoryReading {
  const holders = new Map<number | null, Tracked>();
  const isAlone = look.holders.filter(({ pid }) => pid !== null).length <= 1;
  const cardWork = looked(before.work, look.utilizationPercent);
  for (const { pid, bytes } of look.holders) {
    const known = before.holders.get(pid);
    const seen = known?.work ?? neverLooked;
    const work = isAlone ? looked(seen, look.utilizationPercent) : seen;
    const grew = known === undefined || bytes > lastBytes(known);
    holders.set(pid, {
      past: remember(known?.past ?? noPast, { t: look.time, bytes }),
      course: known?.course ?? null,
      judgedAt: known?.judgedAt ?? Number.NEGATIVE_INFINITY,
      work,
      tookWhile: grew ? { cardComputed: computes(cardWork), computedAlone: computes(work) } : known.tookWhile,
    });
  }
  return { ...before, holders, work: cardWork };
}

/**
 * Judges the holders that `isDue` names, and the card by all of them. The same for the readings of this machine and for a recorded
 * series, which is a card with one holder whose use nobody knows.
 */
export function judgeCard(
  memory: CardMemoryReading,
  look: CardLook,
  isDue: (tracked: Tracked) => boolean,
): { readonly memory: CardMemoryReading; readonly outlook: CardOutlook } {
  const { freeBytes, time } = look;
  const pids = [...memory.holders.keys()];
  const holders = new Map<number | null, Tracked>();
  for (const [pid, tracked] of memory.holders) {
    const bytes = lastBytes(tracked);
    holders.set(
      pid,
      freeBytes !== null && isDue(tracked)
        ? {
            ...tracked,
            course: courseOf(seriesOf(tracked.past), bytes + freeBytes, computesFor(memory, tracked)),
            judgedAt: time,
          }
        : tracked,
    );
  }
  const judged = [...holders].map(([pid, tracked]) => ({ pid, tracked }));
  const courses = judged.map(({ tracked }) => tracked.course ?? unseen(lastBytes(tracked)));
  const fill = freeBytes === null ? null : fillOf(courses, freeBytes);
  const growing = fill?.growing.map((place) => pids[place] ?? null) ?? [];
  const announcement = announce(memory.announcement, time, fill, { pids: new Set(pids), growing });
  return { memory: { ...memory, holders, announcement }, outlook: { fill, judged, growing } };
}

/**
 * Whether the card computed for this holder when it took its memory: what a load took stays a load when the training begins. An idle card
 * computes for nobody; a busy one for its only holder, and where all of several grow, at least one of those that grow.
 */
function computesFor(card: CardMemoryReading, { tookWhile }: Tracked): boolean | null {
  if (tookWhile.cardComputed === false) return false;
  const holders = [...card.holders];
  if (holders.filter(([pid]) => pid !== null).length <= 1) return tookWhile.computedAlone;
  const allGrow = holders.every(([, { course }]) => course?.state === 'growing');
  return tookWhile.cardComputed === true && allGrow ? true : null;
}

function lastBytes({ past: { newest } }: Tracked): number {
  return newest.bytes[newest.bytes.length - 1] ?? 0;
}

function unseen(bytes: number): Course {
  return {
    state: 'unknown',
    levelBytes: bytes,
    topBytes: bytes,
    onceAboveBytes: 0,
    spikeGapSeconds: 0,
    rise: null,
    seenSeconds: 0,
    lookSeconds: 0,
  };
}
