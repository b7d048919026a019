import { MiB } from '../../units';
import { bareContextBytes } from '../bareContext';
import type { Curves } from './curves';
import { indexAt } from './series';

/** A context comes at once; only what comes on top of it is somebody's data. */
const contextBytes = bareContextBytes.most;
/**
 * Less than disks and networks that weights are usually read from: a gigabit line brings 110 MiB a second. A slower load is warned of like
 * a leak.
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
 * Whether a rise that began `sinceSeconds` ago may be something on its way to the card that ends by itself: it comes as fast as a
 * disk gives, the process never gave anything back and did not stand still for a minute, and either nothing was ever taken
 * clearly faster (a first training step is), or it is the start that still goes on.
 * A leak from the very first step looks the same, and no curve tells the two apart before one of them ends.
 */
export function mayBeLoading(curves: Curves, sinceSeconds: number, slopeBytesPerSecond: number): boolean {
  if (slopeBytesPerSecond < slowestLoadBytesPerSecond || hasGivenBack(curves)) return false;
  const { time } = curves;
  const end = time.length - 1;
  const now = time[end] ?? 0;
  const begin = indexAt(time, now - sinceSeconds);
  const stood = longestStand(curves);
  if (stood >= stands.always) return false;
  const recent = indexAt(time, now - sinceSeconds / 2);
  if (fastest(curves, 0, end) <= 1.5 * fastest(curves, recent, end) + 64 * MiB) return true;
  return (
    sinceSeconds < startSeconds && stood < stands.afterStart && isStart(curves, begin, slopeBytesPerSecond)
  );
}

/** Whether all that was there when the rise began would have come in the time before at the pace of the rise. */
function isStart({ time, level }: Curves, begin: number, slopeBytesPerSecond: number): boolean {
  const taken = (level[begin] ?? 0) - (level[0] ?? 0);
  return taken <= 1.2 * slopeBytesPerSecond * ((time[begin] ?? 0) - (time[0] ?? 0)) + 128 * MiB;
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

/** The longest time at one level clearly above the bare context, in seconds. */
function longestStand({ time, level }: Curves): number {
  const context = level[0] ?? 0;
  let since = 0;
  let longest = 0;
  for (let i = 1; i < time.length; i += 1) {
    const bytes = level[i] ?? 0;
    if (Math.abs(bytes - (level[since] ?? 0)) > 32 * MiB) since = i;
    else if (bytes - context > leastStandBytes)
      longest = Math.max(longest, (time[i] ?? 0) - (time[since] ?? 0));
  }
  return longest;
}
