/** Plans and drafts as the rows of one table, so that a draft stays in its place when it is judged. */
import type { Message } from '../../i18n/message';
import { H200 } from '../../gpu/models';
import { isMeasured } from '../../memory/assumptions';
import type { EstimateRequest } from '../../memory/configuration';
import { bestOfEachKind } from '../plan';
import { tightest } from '../tightest';
import type { Draft, Plan, PlanCard, PlanVerdict } from '../types';
import { keyOf } from './rowKey';

/** Equal cards of a plan as one bar. */
export interface RowCard {
  /** As nvidia-smi counts. */
  readonly indices: readonly number[];
  readonly totalBytes: number;
  /** What others hold of it, as far as the plan goes around them. */
  readonly heldBytes: number;
  readonly expectedBytes: number;
  /** The interval of the process; equal to what is expected in a draft. */
  readonly lowBytes: number;
  readonly highBytes: number;
}

export interface PlanRow {
  /** The same for a draft and the plan that it becomes. */
  readonly key: string;
  /** The place among the plans; null in a draft. */
  readonly rank: number | null;
  readonly verdict: PlanVerdict;
  readonly request: EstimateRequest;
  readonly cards: readonly RowCard[];
  /** Memory of the machine that is needed; null in a draft. */
  readonly hostBytes: number | null;
  readonly relativeStepTime: number;
  /** Null in a draft. */
  readonly why: Message | null;
  readonly changesTraining: boolean;
  readonly measured: boolean;
  /** Why no launch files can be written for it; null where they can, and in a draft. */
  readonly noFiles: Message | null;
}

export function rowOfPlan(plan: Plan, cards: readonly PlanCard[], noFiles: Message | null): PlanRow {
  const { changesTraining, hostBytes, measured, rank, relativeStepTime, request, verdict, why } = plan;
  const places = plan.cards.flatMap((estimate, place) => {
    const card = cards.find(({ index }) => index === plan.cardIndices[place]);
    if (card === undefined) return [];
    const { interval, processBytes } = estimate;
    return [placeOf(card, processBytes, interval.lowBytes, interval.highBytes)];
  });
  return {
    key: keyOf(request),
    rank,
    verdict,
    request,
    cards: joined(places),
    hostBytes,
    relativeStepTime,
    why,
    changesTraining,
    measured,
    noFiles,
  };
}

/** As many as a table shows of plans. */
const mostDrafts = 10;

/** The best draft of each kind, as the plans will be; the rest would come only to go again. */
export const shownDrafts = (ranked: readonly Draft[]): readonly Draft[] =>
  bestOfEachKind(ranked).slice(0, mostDrafts);

/** Drafts in the order given; times are told against the fastest that fits, or of all where none does. */
export function rowsOfDrafts(drafts: readonly Draft[]): readonly PlanRow[] {
  const fitting = drafts.filter(({ verdict }) => verdict === 'fits');
  const fastest = Math.min(
    ...(fitting.length > 0 ? fitting : drafts).map(({ secondsPerSample }) => secondsPerSample),
  );
  return drafts.map(({ candidate, fit, secondsPerSample, verdict }) => {
    const { cards, changesTraining, request } = candidate;
    const places = fit.ranks.flatMap(({ processBytes: bytes, rank }) => {
      const card = cards[rank];
      return card === undefined ? [] : [placeOf(card, bytes, bytes, bytes)];
    });
    return {
      key: keyOf(request),
      rank: null,
      verdict,
      request,
      cards: joined(places),
      hostBytes: null,
      relativeStepTime: secondsPerSample / fastest,
      why: null,
      changesTraining,
      // As the whole answer will have it: a card of another kind than the measured one is not.
      measured: isMeasured(request) && (request.card ?? H200).measured,
      noFiles: null,
    };
  });
}

function placeOf(card: PlanCard, expectedBytes: number, lowBytes: number, highBytes: number): RowCard {
  return {
    indices: [card.index],
    totalBytes: card.totalBytes,
    heldBytes: Math.max(0, card.totalBytes - card.freeBytes),
    expectedBytes,
    lowBytes,
    highBytes,
  };
}

/** In nvidia-smi's order, with neighbours that look alike as one. */
function joined(cards: readonly RowCard[]): readonly RowCard[] {
  const sorted = [...cards].sort((a, b) => (a.indices[0] ?? 0) - (b.indices[0] ?? 0));
  return sorted.reduce<readonly RowCard[]>((before, card) => {
    const last = before[before.length - 1];
    if (last === undefined || !looksAlike(last, card)) return [...before, card];
    return [...before.slice(0, -1), { ...last, indices: [...last.indices, ...card.indices] }];
  }, []);
}

/** What a new process can have of a card. */
export const freeBytesOf = ({ heldBytes, totalBytes }: RowCard): number => totalBytes - heldBytes;

/** The card that decides whether the plan fits; null where there is none. */
export function tightestRowCard(cards: readonly RowCard[]): RowCard | null {
  return tightest(cards, (card) => ({ cardBytes: freeBytesOf(card), processBytes: card.expectedBytes }));
}

/** A difference that no bar can show. */
const sameBytes = 64 * 2 ** 20;

const looksAlike = (one: RowCard, other: RowCard): boolean =>
  (['totalBytes', 'heldBytes', 'expectedBytes', 'highBytes'] as const).every(
    (size) => Math.abs(one[size] - other[size]) <= sameBytes,
  );

export type RowSort = 'rank' | 'memory' | 'microBatch' | 'time' | 'host';

/** Best first, or by a column; equal ones stay in their order. */
export function sortRows(rows: readonly PlanRow[], by: RowSort, falling: boolean): readonly PlanRow[] {
  if (by === 'rank') return rows;
  const value = valueOf(by);
  const sign = falling ? -1 : 1;
  return [...rows].sort((one, other) => sign * (value(one) - value(other)));
}

function valueOf(by: Exclude<RowSort, 'rank'>): (row: PlanRow) => number {
  switch (by) {
    case 'memory':
      return ({ cards }) => Math.max(...cards.map(({ expectedBytes }) => expectedBytes));
    case 'microBatch':
      return ({ request }) => request.training.microBatch;
    case 'time':
      return ({ relativeStepTime }) => relativeStepTime;
    case 'host':
      return ({ hostBytes }) => hostBytes ?? 0;
  }
}
