/**
 * The allocated peak in a few milliseconds, for ranking and for first guesses: no allocator is played, and of equal layers only a
 * few are.
 *
 * Why that is right: what is live at a point of a step is a sum over layers. So at each operation outside of the blocks and in
 * the outermost blocks the most that is live grows by the same bytes with every further repetition of equal layers, and the blocks
 * between lie between the outer ones. That is looked at before it is used: inside of a model the peaks of its inner layers must be
 * evenly apart; else a third model is played, and where the two growths differ, the whole one.
 */
import type { Architecture } from '../model/architecture';
import { isZero, type TrainingSettings } from './configuration';
import type { FamilyForward } from '../families/forward';
import { type Repetition, repetitionOf, withRepeats } from './fewerLayers';
import { growsEvenly, highestPeak, outerPeaks, type PlacePeaks, placePeaks, withWaiting } from './placePeaks';
import { quickStagePeakBytes } from './quickStage';
import { simulate, type StepSimulation } from './simulation';
import type { AllocationLog } from './tape/log';
import type { CardTraits } from './tape/tape';
import type { Spread } from './training/distribution';

/** Repetitions that are played: two at either end have names of their own. The last only where the growth is in doubt. */
const playedRepeats = [4, 5, 6] as const;
/** More repetitions than this are not played. */
export const mostRepeats = playedRepeats[2];
const outerPeriods = 2;
/** DDP's lists of buckets grow by whole allocations of 512 bytes, not with every layer. */
const toleranceBytes = 4096;

/** The most bytes that are allocated at once in a step with the optimizer's state, each rounded as the allocator does. */
export function quickPeakBytes(
  architecture: Architecture,
  family: FamilyForward,
  settings: TrainingSettings,
  card: CardTraits,
  spread: Spread,
): number {
  if (spread.pipeline !== null) return quickStagePeakBytes(architecture, family, settings, card, spread);
  const play = (model: Architecture): StepSimulation => simulate(model, family, settings, card, spread);
  // DeepSpeed's buckets and what it gathers ahead have sizes of their own, so few layers say nothing of many.
  return isZero(spread.strategy)
    ? highestPeak(placePeaks(play(architecture)))
    : mostLiveBytes(architecture, play);
}

/**
 * The most bytes live at once in the steps that `play` makes of a model, from a few of its equal layers where there are many.
 * `waitingBytes`: what further micro-batches hold while one is in its forward or backward.
 */
export function mostLiveBytes(
  architecture: Architecture,
  play: (model: Architecture) => StepSimulation,
  waitingBytes = 0,
): number {
  const repetition = repetitionOf(architecture);
  const peaksOf = (simulation: StepSimulation): PlacePeaks =>
    withWaiting(placePeaks(simulation), waitingBytes);
  if (repetition !== null && repetition.repeats > mostRepeats) {
    const grown = extrapolate(architecture, repetition, play, peaksOf);
    if (grown !== null) return grown;
  }
  return highestPeak(peaksOf(play(architecture)));
}

interface Played {
  readonly repetition: Repetition;
  readonly log: AllocationLog;
  readonly peaks: PlacePeaks;
  /** By phase and place, inner blocks left out. */
  readonly outer: ReadonlyMap<string, number>;
}

function extrapolate(
  architecture: Architecture,
  whole: Repetition,
  play: (model: Architecture) => StepSimulation,
  peaksOf: (simulation: StepSimulation) => PlacePeaks,
): number | null {
  const playing = (repeats: number): Played => {
    const simulation = play(withRepeats(architecture, whole, repeats));
    const repetition = { ...whole, repeats };
    const peaks = peaksOf(simulation);
    const { log } = simulation;
    return { repetition, log, peaks, outer: outerPeaks(log, peaks, repetition, outerPeriods) };
  };
  const [fewer, more] = [playing(playedRepeats[0]), playing(playedRepeats[1])];
  if (growsEvenly(more.log, more.peaks, more.repetition)) {
    const grown = peakAt(whole.repeats, fewer, more, null);
    if (grown !== null) return grown;
  }
  return peakAt(whole.repeats, more, playing(playedRepeats[2]), fewer);
}

/**
 * The peak with `repeats` repetitions, by the growth from `fewer` to `more`. Null where a place is missing in one of them, or where the
 * growth to `fewer` from `fewest` was another.
 */
function peakAt(repeats: number, fewer: Played, more: Played, fewest: Played | null): number | null {
  const further = repeats - more.repetition.repeats;
  let peak = 0;
  for (const [place, bytes] of more.outer) {
    const before = fewer.outer.get(place);
    if (before === undefined) return null;
    const growth = bytes - before;
    if (fewest !== null) {
      const earlier = fewest.outer.get(place);
      if (earlier === undefined || Math.abs(growth - (before - earlier)) > toleranceBytes) return null;
    }
    peak = Math.max(peak, bytes + growth * further);
  }
  return peak;
}
