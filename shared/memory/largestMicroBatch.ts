/** The largest micro-batch that still completes steps on a card. */
import { type AllocatorSettings, type CachingAllocator, roundedBytes } from './allocator/allocator';
import { completes, completesAfter, leftBehind, type Simulation } from './simulation';
import { allocationOf, isAllocation, isFree } from './tape/log';

/** No card holds more samples than this; it ends the search for models that take next to nothing. */
const MOST = 65_536;

/** Guesses that are drawn from the last two plays before the walk begins. */
const GUESSES = 4;

/**
 * The largest micro-batch of which two steps complete under the limit after a micro-batch of 1 did, as when sizes are tried one
 * after another, or 0. What is live at once grows piece by piece in
 * proportion to the micro-batch, so lines through the last two plays soon tell where the limit lies; the search walks from there
 * with whole plays through the allocator. `start`: a micro-batch above 1 to draw the first line with, such as one that is played
 * already. `atMost`: a micro-batch above which nothing is looked for; null: none.
 */
export function largestMicroBatch(
  play: (microBatch: number) => Simulation,
  settings: AllocatorSettings,
  start = 2,
  atMost: number | null = null,
): number {
  const { limitBytes } = settings;
  const most = atMost ?? MOST;
  if (limitBytes === null) return most;
  const known = new Map<number, Trial>();
  let before: CachingAllocator | null = null;
  const trial = (microBatch: number): Trial => {
    const earlier = known.get(microBatch);
    if (earlier !== undefined) return earlier;
    const made = trialOf(play(microBatch), limitBytes, (simulation) => {
      if (microBatch !== 1) return completesAfter(before, simulation, settings);
      before = leftBehind(simulation, settings);
      return completes(simulation, settings);
    });
    known.set(microBatch, made);
    return made;
  };
  if (!trial(1).fits()) return 0;
  const fits = (microBatch: number): boolean => trial(microBatch).fits();
  if (atMost !== null && (atMost === 1 || fits(atMost))) return atMost;
  return walk(guess(trial, limitBytes, Math.max(2, start), most), fits, most);
}

interface Trial {
  readonly live: number;
  /** Found out when it is first asked: guesses need no allocator. */
  fits(): boolean;
}

function trialOf(
  simulation: Simulation,
  limitBytes: number,
  completes: (simulation: Simulation) => boolean,
): Trial {
  const live = livePeak(simulation);
  let answer: boolean | null = live > limitBytes ? false : null;
  return { live, fits: () => (answer ??= completes(simulation)) };
}

/** Where the line through the last two plays meets the limit, drawn again until it stays. */
function guess(
  trial: (microBatch: number) => Trial,
  limitBytes: number,
  start: number,
  most: number,
): number {
  let [before, last] = [1, Math.min(start, most)];
  for (let count = 0; count < GUESSES; count++) {
    const growth = (trial(last).live - trial(before).live) / (last - before);
    const missing = limitBytes - trial(last).live;
    const next = Math.min(most, Math.max(2, last + Math.floor(missing / Math.max(1, growth))));
    if (next === last) break;
    [before, last] = [last, next];
  }
  return last;
}

/** Walks from a guess (1 is known to fit) in growing steps to a micro-batch that fits and one that does not, then halves between them. */
function walk(guess: number, fits: (microBatch: number) => boolean, most: number): number {
  let low = guess;
  let high = guess;
  let stride = 1;
  if (fits(guess)) {
    while (high === low || fits(high)) {
      low = high;
      if (low >= most) return most;
      high = Math.min(most, low + stride);
      stride *= 2;
    }
  } else {
    while (low === high || !fits(low)) {
      high = low;
      low = Math.max(1, high - stride);
      stride *= 2;
    }
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Most bytes live at once in a step with the optimizer's state, each rounded as the allocator does, without playing it. */
function livePeak({ log, steps, kept }: Simulation): number {
  const last = steps[steps.length - 1];
  let live = 0;
  let peak = 0;
  const change = (event: number, skip: Uint8Array | null): void => {
    const code = log.code(event);
    const id = allocationOf(code);
    if (isAllocation(code)) {
      if (skip?.[id] !== 1) live += roundedBytes(log.bytes(id));
    } else if (isFree(code)) live -= roundedBytes(log.bytes(id));
    peak = Math.max(peak, live);
  };
  for (let event = 0; event < log.eventCount; event++) change(event, null);
  if (last !== undefined && kept !== null)
    for (let event = last.start; event < last.end; event++) change(event, kept);
  return peak;
}
