import { MiB } from '../../units';
import { bareContextBytes } from '../bareContext';
import type { Curves } from './curves';
import { indexAt } from './series';

/**
 * Whether a rise may be weights and states on their way to the card, which stop by themselves. `perhaps`: a leak from the very first step
 * has the same curve, so it is warned of at the last moment. `surely`: nothing but a load looks like that, and it is not warned of.
 */
export type LoadingDoubt = 'no' | 'perhaps' | 'surely';

/** A rise as far as it matters here. */
export interface SuspectedLoad {
  readonly sinceSeconds: number;
  readonly slopeBytesPerSecond: number;
  /** It rests between its steps. */
  readonly hasSteps: boolean;
}

/** A context comes at once; only what comes on top of it is somebody's data. */
const contextBytes = bareContextBytes.most;
/**
 * Less than disks and networks that weights are usually read from: a gigabit line brings 110 MiB a second. A slower load is known by its
 * start only.
 */
const slowestLoadBytesPerSecond = 16 * MiB;
/** Growth is compared over windows of this length or more, as nvidia-smi is asked once a second. */
const windowSeconds = 1;
/** A load keeps all that it takes, but for a file's worth of copies; who gave back more than this has begun to work. Assumed. */
const leastGivenBackBytes = 256 * MiB;
/** What is held beside the bare context for a stand to count: less is kernels and libraries that come with the first work. Assumed. */
const leastStandBytes = 256 * MiB;
/**
 * Who held a level above the bare context for so long has all that it loads; for a minute, whatever came before. Assumed: between two files
 * of one model less time passes.
 */
const stands = { afterStart: 10, always: 60 } as const;
/** What a process builds up in its first moments (weights, caches, longer and longer samples) is done in this time. Assumed. */
const startSeconds = 90;
/**
 * Shards of one model are of one size but for the last, as those who write them cut at a size: 1 GB and more. So each is read from the disk
 * in a like time.
 */
const alikeShards = 1.25;
const leastShardBytes = 512 * MiB;
/**
 * Beside weights of 2 bytes a parameter lie at most a master copy, both moments of Adam (4 bytes each), and nothing that grows before the
 * first step: six times the weights.
 */
const statesPerWeights = 6;
/** A copy is read piece by piece, so several looks see it come; the spike of an evaluation is there at once. */
const leastLooksOfCopy = 4;

/**
 * Judges a rise by what its card does and by the shape of all that was seen of the process. `computes`: whether kernels run for it;
 * null where that is not known. While a card does not compute nobody trains on it, so all that comes at a disk's pace, or since the
 * bare context, is a load.
 */
export function loadingDoubt(curves: Curves, rise: SuspectedLoad, computes: boolean | null): LoadingDoubt {
  if (computes === true) return 'no';
  const isFast = rise.slopeBytesPerSecond >= slowestLoadBytesPerSecond;
  if (computes === false && isFast) return 'surely';
  if (isFollowedCopy(curves, rise)) return 'surely';
  if (longestStand(curves) >= stands.always || hasGivenBack(curves)) return 'no';
  const shards = shardsDoubt(curves);
  if (shards !== 'no') return shards;
  if (rise.hasSteps && computes !== false) return 'no';
  const isAll = isAllOfIt(curves, rise);
  if (isAll && computes === false) return 'surely';
  return isAll || (isFast && mayStillLoad(curves, rise)) ? 'perhaps' : 'no';
}

/** Either nothing was ever taken clearly faster (a first training step is), or it is the start that still goes on. */
function mayStillLoad(curves: Curves, { sinceSeconds, slopeBytesPerSecond }: SuspectedLoad): boolean {
  const { time } = curves;
  const end = time.length - 1;
  const now = time[end] ?? 0;
  const recent = indexAt(time, now - sinceSeconds / 2);
  if (fastest(curves, 0, end) <= 1.5 * fastest(curves, recent, end) + 64 * MiB) return true;
  const begin = indexAt(time, now - sinceSeconds);
  return (
    sinceSeconds < startSeconds &&
    longestStand(curves) < stands.afterStart &&
    isStart(curves, begin, slopeBytesPerSecond)
  );
}

/** Whether all that was there when the rise began would have come in the time before at the pace of the rise. */
function isStart({ time, level }: Curves, begin: number, slopeBytesPerSecond: number): boolean {
  const taken = (level[begin] ?? 0) - (level[0] ?? 0);
  return taken <= 1.2 * slopeBytesPerSecond * ((time[begin] ?? 0) - (time[0] ?? 0)) + 128 * MiB;
}

/** Whether the process was first seen with its bare context, or took what it held on top of that in one look's time. */
function isSeenFromStart({ level }: Curves): boolean {
  const first = level[0] ?? 0;
  return first - Math.max(0, (level[1] ?? first) - first) <= contextBytes;
}

/** Whether the process was seen from its bare context on, and holds nothing that did not come at the pace of the rise. */
function isAllOfIt(curves: Curves, { sinceSeconds, slopeBytesPerSecond }: SuspectedLoad): boolean {
  const { time } = curves;
  if (!isSeenFromStart(curves)) return false;
  return isStart(curves, indexAt(time, (time[time.length - 1] ?? 0) - sinceSeconds), slopeBytesPerSecond);
}

/**
 * Whether all that a process holds, which was seen from its bare context on, came in pieces of one size with rests between them, the
 * first one as the others. A training that grows by epochs begins with something else, and in more than one piece. Where the first came
 * after as long a time as the others did, as each is read from the same disk, it is surely a load.
 */
function shardsDoubt(curves: Curves): LoadingDoubt {
  const { time } = curves;
  if (!isSeenFromStart(curves)) return 'no';
  const pieces = piecesOf(curves);
  const whole = pieces.slice(0, -1).map(({ bytes }) => bytes);
  const last = pieces[pieces.length - 1]?.bytes ?? 0;
  const [least, most] = [Math.min(...whole), Math.max(...whole)];
  const takingSeconds = pieces.reduce((sum, { start, end }) => sum + end - start, 0);
  const begin = time[0] ?? 0;
  const isLoad =
    whole.length > 0 &&
    least >= leastShardBytes &&
    most <= alikeShards * least &&
    last <= alikeShards * most &&
    takingSeconds <= ((time[time.length - 1] ?? 0) - begin) / 2;
  if (!isLoad) return 'no';
  const first = pieces[0]?.end ?? begin;
  const gap = ((pieces[pieces.length - 1]?.end ?? first) - first) / (pieces.length - 1);
  const untilFirst = first - begin;
  return Math.max(gap, untilFirst) <= alikeShards * Math.min(gap, untilFirst) ? 'surely' : 'perhaps';
}

interface Piece {
  readonly start: number;
  end: number;
  bytes: number;
}

/** What was taken at once, by one look or several in a row; a context's libraries before the first are none. */
function piecesOf({ time, floor }: Curves): readonly Piece[] {
  const pieces: Piece[] = [];
  let lastAt = -1;
  for (let i = 1; i < floor.length; i += 1) {
    const grown = (floor[i] ?? 0) - (floor[i - 1] ?? 0);
    if (grown <= 0) continue;
    const open = pieces[pieces.length - 1];
    if (lastAt === i - 1 && open !== undefined) {
      open.bytes += grown;
      open.end = time[i] ?? 0;
    } else pieces.push({ start: time[i - 1] ?? 0, end: time[i] ?? 0, bytes: grown });
    lastAt = i;
  }
  return (pieces[0]?.bytes ?? 0) > leastStandBytes ? pieces : pieces.slice(1);
}

/**
 * Whether a process that was seen from its bare context on has put a copy on the card, freed it, and at once goes on at a like pace: a
 * checkpoint was read, its weights copied into the model, and the states of the optimizer follow.
 */
function isFollowedCopy(curves: Curves, { sinceSeconds }: SuspectedLoad): boolean {
  const { time, level, floor } = curves;
  if (!isSeenFromStart(curves)) return false;
  const freed = onlyFall(curves);
  if (freed === null) return false;
  const left = (level[freed + 1] ?? 0) - (level[0] ?? 0);
  const copy = (level[freed] ?? 0) - (level[freed + 1] ?? 0);
  if (copy < left / 2 || copy > 2 * left) return false;
  const end = time.length - 1;
  if (looksAbove(curves, freed) < leastLooksOfCopy) return false;
  const begin = Math.max(freed + 1, indexAt(time, (time[end] ?? 0) - sinceSeconds));
  if (longestStand(curves, freed + 1) >= stands.afterStart) return false;
  if ((time[begin] ?? 0) - (time[freed] ?? 0) > stands.always) return false;
  return (floor[end] ?? 0) - (level[0] ?? 0) <= (1 + statesPerWeights) * left;
}

/** How many looks saw more and more of what was freed after sample `freed` come. */
function looksAbove({ level }: Curves, freed: number): number {
  const left = level[freed + 1] ?? 0;
  let count = 0;
  for (let i = freed; i > 0 && (level[i] ?? 0) > left; i -= 1)
    if ((level[i] ?? 0) > (level[i - 1] ?? 0)) count += 1;
  return count;
}

/** The last sample before the one time at which much was given back; null where nothing was, or more than once. */
function onlyFall({ level }: Curves): number | null {
  let found: number | null = null;
  for (let i = 0; i + 1 < level.length; i += 1) {
    if ((level[i] ?? 0) - (level[i + 1] ?? 0) <= leastGivenBackBytes) continue;
    if (found !== null) return null;
    found = i;
  }
  return found;
}

/** The most bytes a second that came within one window between two samples, above the bare context. */
function fastest({ time, floor }: Curves, from: number, to: number): number {
  let most = 0;
  let back = from;
  for (let i = from; i <= to; i += 1) {
    while (back + 1 < i && (time[i] ?? 0) - (time[back + 1] ?? 0) >= windowSeconds) back += 1;
    const grown = Math.max(contextBytes, floor[i] ?? 0) - Math.max(contextBytes, floor[back] ?? 0);
    most = Math.max(most, grown / Math.max(windowSeconds, (time[i] ?? 0) - (time[back] ?? 0)));
  }
  return most;
}

function hasGivenBack({ level, floor }: Curves): boolean {
  for (let i = 0; i < level.length; i += 1)
    if ((level[i] ?? 0) - (floor[i] ?? 0) > leastGivenBackBytes) return true;
  return false;
}

/**
 * The longest time at one level clearly above the bare context since sample `from`, in seconds; one that still goes on does not count, as
 * nothing came after it.
 */
function longestStand({ time, level }: Curves, from = 0): number {
  const context = level[0] ?? 0;
  let since = from;
  let longest = 0;
  for (let i = from + 1; i < time.length; i += 1) {
    if (Math.abs((level[i] ?? 0) - (level[since] ?? 0)) <= 32 * MiB) continue;
    if ((level[since] ?? 0) - context > leastStandBytes)
      longest = Math.max(longest, (time[i - 1] ?? 0) - (time[since] ?? 0));
    since = i;
  }
  return longest;
}
