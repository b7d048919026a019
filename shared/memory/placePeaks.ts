/** The most bytes that are live in each phase of a step while something is allocated at each place of the model. */
import { roundedBytes } from './allocator/allocator';
import type { Repetition } from './fewerLayers';
import type { StepSimulation } from './simulation';
import { type AllocationLog, allocationOf, isAllocation, isFree } from './tape/log';
import { type Phase, phaseOfMoment, phaseNames } from './tape/marks';

/** For each phase the peak at each place, by the place's index in the log; 0 where nothing is allocated. */
export type PlacePeaks = readonly Float64Array[];

/** Peaks of the steps, the last of them played a second time; the peak of building the model is none of a step. */
export function placePeaks({ log, steps, kept }: StepSimulation): PlacePeaks {
  const peaks = phaseNames.map(() => new Float64Array(log.placeCount));
  const rowOfMark = log.marks.map(({ moment }) => {
    const phase = phaseOfMoment(moment);
    return phase === null ? null : (peaks[phaseNames.indexOf(phase)] ?? null);
  });
  let live = 0;
  const play = (start: number, end: number, skip: Uint8Array | null): void => {
    let mark = 0;
    let until = -1;
    let row: Float64Array | null = null;
    for (let event = start; event < end; event++) {
      if (event >= until) {
        while ((log.marks[mark]?.event ?? Infinity) <= event) mark++;
        until = log.marks[mark]?.event ?? Infinity;
        row = rowOfMark[mark] ?? null;
      }
      const code = log.code(event);
      const id = allocationOf(code);
      if (isFree(code)) live -= roundedBytes(log.bytes(id));
      else if (isAllocation(code) && skip?.[id] !== 1) {
        live += roundedBytes(log.bytes(id));
        const place = log.placeIndex(id);
        if (row !== null && live > (row[place] ?? 0)) row[place] = live;
      }
    }
  };
  play(0, log.eventCount, null);
  const last = steps[steps.length - 1];
  if (last !== undefined && kept !== null) play(last.start, last.end, kept);
  return peaks;
}

const inFlightPhases: ReadonlySet<Phase> = new Set(['forward', 'backward']);

/** The same peaks where further micro-batches wait with so many bytes, which none does any more when the optimizer steps. */
export function withWaiting(peaks: PlacePeaks, waitingBytes: number): PlacePeaks {
  if (waitingBytes === 0) return peaks;
  return phaseNames.map((phase, index) => {
    const row = peaks[index] ?? new Float64Array();
    return inFlightPhases.has(phase) ? row.map((bytes) => (bytes === 0 ? 0 : bytes + waitingBytes)) : row;
  });
}

/** The highest of all peaks. */
export function highestPeak(peaks: PlacePeaks): number {
  let highest = 0;
  for (const row of peaks) for (const bytes of row) if (bytes > highest) highest = bytes;
  return highest;
}

/** A place in one of a model's blocks: what is before and behind the block's index in its path. */
interface BlockPlace {
  readonly before: string;
  readonly index: number;
  readonly rest: string;
}

function blockPlace(path: string): BlockPlace | null {
  const found = /\.(\d+)(?=\.|$)/.exec(path);
  if (found === null) return null;
  return {
    before: path.slice(0, found.index),
    index: Number(found[1]),
    rest: path.slice(found.index + found[0].length),
  };
}

/**
 * Peaks by phase and path, with blocks counted from the nearer end. Those between the outer `outer` periods at either end are left
 * out.
 */
export function outerPeaks(
  log: AllocationLog,
  peaks: PlacePeaks,
  { period, prefix, repeats }: Repetition,
  outer: number,
): ReadonlyMap<string, number> {
  const blocks = prefix + period * repeats;
  const nameOf = (path: string): string | null => {
    const place = blockPlace(path);
    if (place === null) return path;
    const { before, index, rest } = place;
    if (index < prefix + outer * period) return `${before} ${index}${rest}`;
    const fromEnd = blocks - index;
    return fromEnd <= outer * period ? `${before} -${fromEnd}${rest}` : null;
  };
  const named = new Map<string, number>();
  for (let place = 0; place < log.placeCount; place++) {
    const name = nameOf(log.placeName(place));
    if (name === null) continue;
    peaks.forEach((row, phase) => {
      const bytes = row[place] ?? 0;
      const key = `${phase} ${name}`;
      if (bytes > (named.get(key) ?? 0)) named.set(key, bytes);
    });
  }
  return named;
}

/**
 * Whether from one repetition to the next each place's peak grows by the same bytes, those at either end left out, so that a further
 * one adds as much.
 */
export function growsEvenly(
  log: AllocationLog,
  peaks: PlacePeaks,
  { period, prefix, repeats }: Repetition,
): boolean {
  const rows = new Map<string, number[]>();
  for (let place = 0; place < log.placeCount; place++) {
    const found = blockPlace(log.placeName(place));
    if (found === null || found.index < prefix + period || found.index >= prefix + period * (repeats - 1))
      continue;
    const position = found.index - prefix;
    peaks.forEach((row, phase) => {
      const key = `${phase} ${found.before} ${position % period}${found.rest}`;
      const inner = rows.get(key) ?? new Array<number>(repeats - 2).fill(0);
      inner[Math.floor(position / period) - 1] = row[place] ?? 0;
      rows.set(key, inner);
    });
  }
  return [...rows.values()].every(isEven);
}

function isEven(values: readonly number[]): boolean {
  const [first = 0, second = 0] = values;
  return values.every((value, index) => value === first + index * (second - first));
}
