/** The largest micro-batch that still completes steps on a card. */
import type { AllocatorSettings, CachingAllocator } from './allocator/allocator';
import { highestPeak, type PlacePeaks, placePeaks } from './placePeaks';
import { completes, completesAfter, leftBehind, type StepSimulation } from './simulation';
import { MiB } from '../units';

/** No card holds more samples than this; it ends the search for models that take next to nothing. */
const mostSamples = 65_536;

/** Guesses that are drawn from the last two plays before the walk begins. */
const mostGuesses = 4;

/** What lines through two plays may be off by: workspaces that grow in steps. */
const slackBytes = 2 * MiB;

/**
 * The largest micro-batch of which two steps complete under the limit after a micro-batch of 1 did, as when sizes are tried one
 * after another, or 0. What is live at once at each place of the model grows in proportion to the micro-batch, so lines through two
 * plays tell where the limit lies; the search walks from there with whole plays through the allocator. `start`: a micro-batch
 * above 1 to draw the first lines with, such as one that is played already. `atMost`: a micro-batch above which nothing is looked
 * for; null: none.
 */
export function largestMicroBatch(
  play: (microBatch: number) => StepSimulation,
  settings: AllocatorSettings,
  start = 2,
  atMost: number | null = null,
): number {
  const { limitBytes } = settings;
  const most = atMost ?? mostSamples;
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
  if (atMost !== null && (atMost === 1 || trial(atMost).fits())) return atMost;
  const [first, last] = guess(trial, limitBytes, Math.max(2, start), most);
  const fits = (microBatch: number): boolean => {
    const isBeyond = !known.has(microBatch) && microBatch > last;
    // What would be live alone is too much, so there is nothing to play.
    if (isBeyond && liveAt(trial, first, last, microBatch) > limitBytes + slackBytes) return false;
    return trial(microBatch).fits();
  };
  return walk(last, fits, most);
}

/**
 * The largest micro-batch with which a process can begin, or 0: its first step lays optimizer state and workspaces between activations
 * of full size, where they part what the next step needs in one piece. It may be far below what `largestMicroBatch` finds, or a little
 * above. `near`: where to begin to look. `atMost`: a micro-batch above which nothing is looked for; null: none.
 */
export function largestFirstMicroBatch(
  play: (microBatch: number) => StepSimulation,
  settings: AllocatorSettings,
  near: number,
  atMost: number | null = null,
): number {
  const { limitBytes } = settings;
  const most = atMost ?? mostSamples;
  if (limitBytes === null) return most;
  const known = new Map<number, boolean>();
  const fits = (microBatch: number): boolean => {
    const earlier = known.get(microBatch);
    if (earlier !== undefined) return earlier;
    const simulation = play(microBatch);
    const answer = highestPeak(placePeaks(simulation)) <= limitBytes && completes(simulation, settings);
    known.set(microBatch, answer);
    return answer;
  };
  return fits(1) ? walk(Math.min(Math.max(1, near), most), fits, most) : 0;
}

interface Trial {
  readonly peaks: PlacePeaks;
  fits(): boolean;
}

/** Whether the steps complete is found out when it is first asked: guesses need no allocator. */
function trialOf(
  simulation: StepSimulation,
  limitBytes: number,
  completes: (simulation: StepSimulation) => boolean,
): Trial {
  const peaks = placePeaks(simulation);
  let answer: boolean | null = highestPeak(peaks) > limitBytes ? false : null;
  return { peaks, fits: () => (answer ??= completes(simulation)) };
}

/**
 * Where the lines through the last two plays first meet the limit, drawn again until that stays: the two micro-batches of the last
 * lines, of which the second is the guess.
 */
function guess(
  trial: (microBatch: number) => Trial,
  limitBytes: number,
  start: number,
  most: number,
): [number, number] {
  let [before, last] = [1, Math.min(start, most)];
  for (let count = 0; count < mostGuesses; count++) {
    const next = Math.min(most, Math.max(2, lastBelow(trial, before, last, limitBytes)));
    if (next === last) break;
    [before, last] = [last, next];
  }
  return [before, last];
}

/** The largest micro-batch at which all lines through two plays are within the limit. */
function lastBelow(
  trial: (microBatch: number) => Trial,
  first: number,
  second: number,
  limitBytes: number,
): number {
  let lowest = mostSamples;
  eachLine(trial, first, second, (bytes, growth) => {
    if (growth > 0) lowest = Math.min(lowest, second + Math.floor((limitBytes - bytes) / growth));
  });
  return lowest;
}

/** The most live bytes at a micro-batch by the lines through two plays. */
function liveAt(
  trial: (microBatch: number) => Trial,
  first: number,
  second: number,
  microBatch: number,
): number {
  let most = 0;
  eachLine(trial, first, second, (bytes, growth) => {
    most = Math.max(most, bytes + growth * (microBatch - second));
  });
  return most;
}

/** For each phase and place its peak in the second of two plays and the growth by every further sample. */
function eachLine(
  trial: (microBatch: number) => Trial,
  first: number,
  second: number,
  visit: (bytes: number, growth: number) => void,
): void {
  const { peaks: earlier } = trial(first);
  const { peaks: later } = trial(second);
  later.forEach((row, phase) => {
    row.forEach((bytes, place) => {
      const before = earlier[phase]?.[place] ?? 0;
      if (bytes > 0 && before > 0) visit(bytes, (bytes - before) / (second - first));
    });
  });
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
