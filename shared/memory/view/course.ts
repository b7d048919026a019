/** The course of a step as its phases: what each found, reached and left behind. Sizes are bytes of the allocator. */
import { memoryKinds, type MemoryKind } from '../tape/log';
import type { BytesByKind, TimelinePoint } from '../timeline';
import type { Phase } from '../tape/marks';

/** A run of points of one phase; a step with accumulation has several of forward and backward. */
export interface PhaseSpan {
  readonly phase: Phase;
  /** Which of the phase's runs it is, from 1. */
  readonly round: number;
  /** The first and the last of its points. */
  readonly from: number;
  readonly to: number;
  /** What the phase before left: the first point for the first phase. */
  readonly startBytes: number;
  readonly endBytes: number;
  /** The highest of its points and the last before them, and what is allocated there. */
  readonly peakIndex: number;
  readonly peakBytes: number;
  readonly peakByKind: BytesByKind;
}

/** The phases in the order in which they run; empty for an empty course. */
export function phaseSpans(timeline: readonly TimelinePoint[]): readonly PhaseSpan[] {
  const spans: PhaseSpan[] = [];
  const rounds = new Map<Phase, number>();
  let from = 0;
  while (from < timeline.length) {
    const phase = timeline[from]?.phase ?? 'forward';
    const next = timeline.findIndex((point, index) => index > from && point.phase !== phase);
    const to = (next === -1 ? timeline.length : next) - 1;
    const round = (rounds.get(phase) ?? 0) + 1;
    rounds.set(phase, round);
    // What the phase before left is still there when this one begins.
    const first = Math.max(0, from - 1);
    const peakIndex = first + (highestPoint(timeline.slice(first, to + 1)) ?? 0);
    const peak = timeline[peakIndex];
    const last = timeline[to];
    if (peak === undefined || last === undefined) return spans;
    spans.push({
      phase,
      round,
      from,
      to,
      startBytes: timeline[first]?.allocatedBytes ?? 0,
      endBytes: last.allocatedBytes,
      peakIndex,
      peakBytes: peak.allocatedBytes,
      peakByKind: peak.byKind,
    });
    from = to + 1;
  }
  return spans;
}

/** The first of the highest points; null for an empty course. */
export function highestPoint(timeline: readonly TimelinePoint[]): number | null {
  let highest: number | null = null;
  for (const [index, { allocatedBytes }] of timeline.entries())
    if (highest === null || allocatedBytes > (timeline[highest]?.allocatedBytes ?? 0)) highest = index;
  return highest;
}

/** A phase of few events is drawn at least so wide, as a share of the step, that it is seen and can be named. */
const leastShare = 0.1;

/** Where a phase begins and ends in the drawing, as shares of its width. */
export interface PhaseBand {
  readonly start: number;
  readonly end: number;
}

/**
 * Points stand in the order of events, which is no measure of time: each phase gets a band by its number of points, but
 * never too narrow to be seen. The bands fill 0 to 1; there may be no more phases than fit at the least width.
 */
export function phaseBands(spans: readonly PhaseSpan[]): readonly PhaseBand[] {
  const counts = spans.map(({ from, to }) => to - from + 1);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const least = Math.min(leastShare, 1 / Math.max(1, spans.length));
  const wide = counts.map((count) => Math.max(0, count / total - least));
  const rest = wide.reduce((sum, share) => sum + share, 0);
  const free = 1 - least * spans.length;
  let start = 0;
  return wide.map((share, index) => {
    const width = least + (rest > 0 ? (share / rest) * free : free / spans.length);
    const end = index === spans.length - 1 ? 1 : start + width;
    const band = { start, end };
    start = end;
    return band;
  });
}

/** Where each point begins, as a share of the drawing's width; it lasts until the next begins. */
export function pointPositions(spans: readonly PhaseSpan[]): readonly number[] {
  const bands = phaseBands(spans);
  return spans.flatMap(({ from, to }, index) => {
    const { end = 1, start = 0 } = bands[index] ?? {};
    const count = to - from + 1;
    return Array.from({ length: count }, (_, point) => start + ((end - start) * point) / count);
  });
}

/** The point that a place in the drawing belongs to, a share of its width; 0 for an empty course. */
export function pointAt(positions: readonly number[], share: number): number {
  return Math.max(
    0,
    positions.findLastIndex((position) => position <= share),
  );
}

/** The lowest and the highest allocation of a course; null for an empty one. */
export function courseRange(
  timeline: readonly TimelinePoint[],
): { readonly lowBytes: number; readonly highBytes: number } | null {
  if (timeline.length === 0) return null;
  const sizes = timeline.map(({ allocatedBytes }) => allocatedBytes);
  return {
    lowBytes: sizes.reduce((a, b) => Math.min(a, b)),
    highBytes: sizes.reduce((a, b) => Math.max(a, b)),
  };
}

/** What lasts a whole step below, what comes and goes above, so that the upper areas show the movement. */
const stackOrder: readonly MemoryKind[] = [
  'parameters',
  'optimizer',
  'buffers',
  'gradients',
  'activations',
  'logits',
  'workspace',
];

/** The kinds that any of these holds, in the order of the stack. */
export function kindsIn(holdings: readonly BytesByKind[]): readonly MemoryKind[] {
  return stackOrder.filter((kind) => holdings.some((byKind) => byKind[kind] > 0));
}

/** Bytes of all kinds together. */
export const totalBytes = (byKind: BytesByKind): number =>
  memoryKinds.reduce((sum, kind) => sum + byKind[kind], 0);

/** Ranks whose step is the same, by their first rank; a plan's ranks mostly are all alike. */
export function distinctRanks<
  Card extends {
    readonly rank: number;
    readonly allocatedPeakBytes: number;
    readonly processBytes: number;
    readonly cardBytes: number | null;
    readonly peak: { readonly at: string; readonly phase: Phase };
  },
>(cards: readonly Card[]): readonly (readonly Card[])[] {
  const groups = new Map<string, Card[]>();
  for (const card of cards) {
    const key = [
      card.allocatedPeakBytes,
      card.processBytes,
      card.cardBytes,
      card.peak.phase,
      card.peak.at,
    ].join(' ');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [card]);
    else group.push(card);
  }
  return [...groups.values()];
}
