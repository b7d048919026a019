import { describe, expect, it } from 'vitest';
import type { Phase } from '../../../../../shared/memory/tape/marks';
import type { BytesByKind, TimelinePoint } from '../../../../../shared/memory/timeline';
import { estimate } from '../../../../../shared/memory/estimate';
import {
  courseRange,
  distinctRanks,
  highestPoint,
  kindsIn,
  phaseBands,
  phaseSpans,
  pointAt,
  pointPositions,
  totalBytes,
} from '../../../../../shared/memory/view/course';
import { questionOf, smallLlama } from '../../strategy/questions';

const none: BytesByKind = {
  parameters: 0,
  gradients: 0,
  optimizer: 0,
  activations: 0,
  logits: 0,
  buffers: 0,
  workspace: 0,
};
const at = (phase: Phase, allocatedBytes: number, byKind: Partial<BytesByKind> = {}): TimelinePoint => ({
  phase,
  at: `place ${allocatedBytes}`,
  allocatedBytes,
  byKind: { ...none, ...byKind },
});

function fail(): never {
  throw new Error('no phase');
}

const course = [
  at('forward', 10, { parameters: 10 }),
  at('forward', 30, { parameters: 10, activations: 20 }),
  at('backward', 40, { parameters: 10, activations: 20, logits: 10 }),
  at('backward', 20, { parameters: 10, gradients: 10 }),
  at('forward', 35),
  at('backward', 45, { parameters: 10, gradients: 10, activations: 25 }),
  at('optimizer', 26),
  at('zero_grad', 16),
];

describe('the phases of a step', () => {
  it('are found in their order, each with what the one before left', () => {
    expect(
      phaseSpans(course).map(({ phase, round, from, to, startBytes, peakBytes, endBytes }) => [
        phase,
        round,
        from,
        to,
        startBytes,
        peakBytes,
        endBytes,
      ]),
    ).toEqual([
      ['forward', 1, 0, 1, 10, 30, 30],
      ['backward', 1, 2, 3, 30, 40, 20],
      ['forward', 2, 4, 4, 20, 35, 35],
      ['backward', 2, 5, 5, 35, 45, 45],
      ['optimizer', 1, 6, 6, 45, 45, 26],
      ['zero_grad', 1, 7, 7, 26, 26, 16],
    ]);
    expect(phaseSpans(course)[1]?.peakByKind).toEqual({
      ...none,
      parameters: 10,
      activations: 20,
      logits: 10,
    });
    expect(phaseSpans([])).toEqual([]);
  });

  it('have a peak and a range', () => {
    expect(highestPoint(course)).toBe(5);
    expect(courseRange(course)).toEqual({ lowBytes: 10, highBytes: 45 });
    expect(highestPoint([])).toBeNull();
    expect(courseRange([])).toBeNull();
  });

  it('name the kinds that are there, in the order of the stack', () => {
    expect(kindsIn(course.map(({ byKind }) => byKind))).toEqual([
      'parameters',
      'gradients',
      'activations',
      'logits',
    ]);
    expect(totalBytes({ ...none, parameters: 3, workspace: 4 })).toBe(7);
  });
});

describe('the drawing of a step', () => {
  it('gives each phase a band by its points, but never one too narrow to be seen', () => {
    const span = (from: number, to: number) => ({ ...(phaseSpans(course)[0] ?? fail()), from, to });
    const bands = phaseBands([span(0, 69), span(70, 98), span(99, 99)]);
    expect(bands.map(({ start, end }) => Math.round((end - start) * 1000) / 1000)).toEqual([
      0.632, 0.268, 0.1,
    ]);
    expect([bands[0]?.start, bands[2]?.end]).toEqual([0, 1]);
    expect(phaseBands([])).toEqual([]);
    expect(phaseBands(Array.from({ length: 20 }, (_, place) => span(place, place)))[19]?.start).toBeCloseTo(
      0.95,
    );
  });

  it('finds the point under a place', () => {
    const positions = pointPositions(phaseSpans(course));
    expect(positions).toHaveLength(course.length);
    expect(positions[0]).toBe(0);
    for (const [index, position] of positions.entries()) expect(pointAt(positions, position)).toBe(index);
    expect(pointAt(positions, 1)).toBe(7);
    expect(pointAt([], 0.5)).toBe(0);
  });
});

describe('a step that the engine played', () => {
  const { architecture, request } = questionOf(smallLlama(512, 12, 2000), [], {
    seq: 128,
    microBatch: 2,
    accumulation: 2,
    gradClip: true,
  });
  const answer = estimate(architecture, { ...request, timeline: true }, false);
  if (answer.kind === 'refused') throw new Error(answer.reason.key);
  const [card] = answer.estimate.cards;
  const timeline = card?.timeline ?? [];

  it('is thinned to 400 points that keep the peak', () => {
    expect(timeline.length).toBeGreaterThan(300);
    expect(timeline.length).toBeLessThanOrEqual(400);
    expect(courseRange(timeline)?.highBytes).toBe(card?.allocatedPeakBytes);
  });

  it('has all its phases, and the kinds of each point add up', () => {
    expect(phaseSpans(timeline).map(({ phase, round }) => `${phase} ${round}`)).toEqual([
      'forward 1',
      'backward 1',
      'forward 2',
      'backward 2',
      'clip 1',
      'optimizer 1',
      'zero_grad 1',
    ]);
    for (const { allocatedBytes, byKind } of timeline) expect(totalBytes(byKind)).toBe(allocatedBytes);
  });

  it('has a point for a phase in which nothing is allocated or freed', () => {
    const { architecture: model, request: asked } = questionOf(smallLlama(512, 12, 2000), [], {
      seq: 128,
      optimizer: 'sgd',
    });
    const quiet = estimate(model, { ...asked, timeline: true }, false);
    if (quiet.kind === 'refused') throw new Error(quiet.reason.key);
    const points = quiet.estimate.cards[0]?.timeline ?? [];
    expect(points.length).toBeLessThanOrEqual(400);
    const spans = phaseSpans(points);
    expect(spans.map(({ phase }) => phase)).toEqual(['forward', 'backward', 'optimizer', 'zero_grad']);
    expect(spans[2]).toMatchObject({ startBytes: spans[1]?.endBytes, endBytes: spans[1]?.endBytes });
    expect(points[spans[2]?.from ?? 0]?.at).toBe('');
  });

  it('leaves behind what it found: every step starts alike', () => {
    const spans = phaseSpans(timeline);
    const [first] = spans;
    const end = spans[spans.length - 1]?.endBytes ?? 0;
    // Between the steps weights, optimizer state, workspace and the batch are there, and no gradient.
    expect(timeline[timeline.length - 1]?.byKind.gradients).toBe(0);
    expect(spans[1]?.endBytes).toBeGreaterThan(end);
    expect(first?.startBytes).toBeGreaterThanOrEqual(end);
  });
});

describe('ranks', () => {
  it('that are alike are told once', () => {
    const card = (rank: number, allocatedPeakBytes: number) => ({
      rank,
      allocatedPeakBytes,
      processBytes: allocatedPeakBytes,
      cardBytes: null,
      peak: { at: 'loss', phase: 'backward' as const },
    });
    expect(
      distinctRanks([card(0, 9), card(1, 4), card(2, 4)]).map((group) => group.map(({ rank }) => rank)),
    ).toEqual([[0], [1, 2]]);
  });
});
