/**
 * The allocated peak in a few milliseconds, for ranking and for first guesses: no allocator is played, and of equal layers only a
 * few are.
 *
 * Why that is right: what is live at a point of a step is a sum over layers. So at each operation outside of the blocks and in
 * the outermost blocks the most that is live grows by the same bytes with every further repetition of equal layers, and the blocks
 * between lie between the outer ones. Two growths are compared; where they differ, the whole model is played.
 */
import type { Architecture } from '../model/architecture';
import { roundedBytes } from './allocator/allocator';
import type { TrainingSettings } from './configuration';
import type { FamilyForward } from './families/context';
import { type Repetition, repetitionOf, withRepeats } from './fewerLayers';
import { quickStagePeakBytes } from './quickStage';
import { simulate, type Simulation } from './simulation';
import { allocationOf, isAllocation, isFree } from './tape/log';
import type { CardTraits } from './tape/tape';
import type { Spread } from './training/distribution';
import { PHASES } from './training/run';

/** Repetitions that are played: two at either end have names of their own. */
const PLAYED = [4, 5, 6] as const;
/** More repetitions than this are not played. */
export const MOST_REPEATS = PLAYED[2];
const OUTER = 2;
/** DDP's lists of buckets grow by whole allocations of 512 bytes, not with every layer. */
const TOLERANCE_BYTES = 4096;

/** The most bytes that are allocated at once in a step with the optimizer's state, each rounded as the allocator does. */
export function quickPeakBytes(
  architecture: Architecture,
  family: FamilyForward,
  settings: TrainingSettings,
  card: CardTraits,
  spread: Spread,
): number {
  if (spread.pipeline !== null) return quickStagePeakBytes(architecture, family, settings, card, spread);
  return mostLiveBytes(architecture, (model) => simulate(model, family, settings, card, spread));
}

/** The most bytes live at once in the steps that `play` makes of a model, from a few of its equal layers where there are many. */
export function mostLiveBytes(architecture: Architecture, play: (model: Architecture) => Simulation): number {
  const repetition = repetitionOf(architecture);
  if (repetition !== null && repetition.repeats > PLAYED[2]) {
    const grown = extrapolate(architecture, repetition, play);
    if (grown !== null) return grown;
  }
  return Math.max(...peaksByPlace(play(architecture), null).values());
}

function extrapolate(
  architecture: Architecture,
  repetition: Repetition,
  play: (model: Architecture) => Simulation,
): number | null {
  const [four, five, six] = PLAYED.map((repeats) =>
    peaksByPlace(play(withRepeats(architecture, repetition, repeats)), { ...repetition, repeats }),
  );
  if (four === undefined || five === undefined || six === undefined) return null;
  let peak = 0;
  for (const [place, bytes] of six) {
    const [before, earlier] = [five.get(place), four.get(place)];
    if (before === undefined || earlier === undefined) return null;
    const growth = bytes - before;
    if (Math.abs(growth - (before - earlier)) > TOLERANCE_BYTES) return null;
    peak = Math.max(peak, bytes + growth * (repetition.repeats - PLAYED[2]));
  }
  return peak;
}

/**
 * Most bytes live at each place: phase, and module outside of the blocks or in an outer one. Inner blocks are left out where the
 * repetition is given.
 */
function peaksByPlace({ log, steps, kept }: Simulation, repetition: Repetition | null): Map<string, number> {
  const peaks = new Map<string, number>();
  const names = new Map<number, string | null>();
  let live = 0;
  const nameOf = (place: number): string | null => {
    const known = names.get(place);
    if (known !== undefined) return known;
    const path = log.placeName(place);
    const name = repetition === null ? '' : outerName(path, repetition);
    names.set(place, name);
    return name;
  };
  const play = (start: number, end: number, skip: Uint8Array | null): void => {
    let mark = 0;
    for (let event = start; event < end; event++) {
      while ((log.marks[mark]?.event ?? Infinity) <= event) mark++;
      const code = log.code(event);
      const id = allocationOf(code);
      if (isFree(code)) live -= roundedBytes(log.bytes(id));
      if (!isAllocation(code) || skip?.[id] === 1) continue;
      live += roundedBytes(log.bytes(id));
      const name = nameOf(log.placeIndex(id));
      if (name === null) continue;
      const phase = PHASES.find((candidate) => log.marks[mark]?.label.startsWith(`${candidate} `) === true);
      // The peak of a run is that of its steps, not of building the model.
      if (phase === undefined) continue;
      const place = `${phase} ${name}`;
      if (live > (peaks.get(place) ?? 0)) peaks.set(place, live);
    }
  };
  play(0, log.eventCount, null);
  const last = steps[steps.length - 1];
  if (last !== undefined && kept !== null) play(last.start, last.end, kept);
  return peaks;
}

/** A module's path with its block counted from the nearer end; null in an inner block. */
function outerName(path: string, { period, prefix, repeats }: Repetition): string | null {
  const found = /\.(\d+)(?=\.|$)/.exec(path);
  if (found === null) return path;
  const index = Number(found[1]);
  const fromEnd = prefix + period * repeats - index;
  const [before, rest] = [path.slice(0, found.index), path.slice(found.index + found[0].length)];
  if (index < prefix + OUTER * period) return `${before} ${index}${rest}`;
  return fromEnd <= OUTER * period ? `${before} -${fromEnd}${rest}` : null;
}
