/** The largest micro-batch that still completes steps on a card. */
import { type AllocatorSettings, roundedBytes } from './allocator/allocator';
import { completes, type Simulation } from './simulation';
import { allocationOf, isAllocation, isFree } from './tape/log';

/** No card holds more samples than this; it ends the search for models that take next to nothing. */
const MOST = 65_536;

/**
 * The largest micro-batch whose first two steps complete under the limit, or 0. The peak grows almost in proportion to the
 * micro-batch, so two plays tell about where the limit lies and the search walks from there.
 */
export function largestMicroBatch(
  play: (microBatch: number) => Simulation,
  settings: AllocatorSettings,
): number {
  const known = new Map<number, boolean>();
  const fits = (microBatch: number, simulation = play(microBatch)): boolean => {
    const answer = known.get(microBatch) ?? completes(simulation, settings);
    known.set(microBatch, answer);
    return answer;
  };
  const one = play(1);
  if (!fits(1, one)) return 0;
  if (settings.limitBytes === null) return MOST;
  const two = play(2);
  if (!fits(2, two)) return 1;
  const peaks = [livePeak(one), livePeak(two)] as const;
  const growth = Math.max(1, peaks[1] - peaks[0]);
  const guess = Math.floor(1 + (settings.limitBytes - peaks[0]) / growth);
  return walk(Math.min(MOST, Math.max(2, guess)), fits);
}

/** Walks from a guess in growing steps to a micro-batch that fits and one that does not, then halves between them. */
function walk(guess: number, fits: (microBatch: number) => boolean): number {
  let low = guess;
  let high = guess;
  let stride = 1;
  if (fits(guess)) {
    while (high === low || fits(high)) {
      low = high;
      if (low >= MOST) return MOST;
      high = Math.min(MOST, low + stride);
      stride *= 2;
    }
  } else {
    while (low === high || !fits(low)) {
      high = low;
      low = Math.max(2, high - stride);
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
