/** The course of a step as its phases: what each found, reached and left behind. Sizes are bytes of the allocator. */
import { MEMORY_KINDS, type MemoryKind } from '../tape/log';
import type { BytesByKind, TimelinePoint } from '../timeline';
import type { Phase } from '../training/run';

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
  /** The highest of its points, and what is allocated there. */
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
    const points = timeline.slice(from, to + 1);
    const highest = highestPoint(points) ?? 0;
    const peak = points[highest];
    const last = points[points.length - 1];
    if (peak === undefined || last === undefined) return spans;
    spans.push({
      phase,
      round,
      from,
      to,
      startBytes: timeline[Math.max(0, from - 1)]?.allocatedBytes ?? 0,
      endBytes: last.allocatedBytes,
      peakIndex: from + highest,
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
export const STACK_ORDER: readonly MemoryKind[] = [
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
  return STACK_ORDER.filter((kind) => holdings.some((byKind) => byKind[kind] > 0));
}

/** Bytes of all kinds together. */
export const totalBytes = (byKind: BytesByKind): number =>
  MEMORY_KINDS.reduce((sum, kind) => sum + byKind[kind], 0);

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
