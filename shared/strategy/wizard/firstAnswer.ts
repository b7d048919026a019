/** The first thing a person wants to know of a planning: whether what was asked fits, and else what comes nearest. */
import type { Message } from '../../i18n/message';
import type { Strategy } from '../../memory/configuration';
import type { PlanVerdict, Refusal, SizeGap } from '../types';
import { freeBytesOf, tightestRowCard, type PlanRow } from './rows';

type MethodKind = Refusal['method'];

/** A plan with the card that has least room under it. */
export interface AnsweringPlan {
  readonly row: PlanRow;
  readonly needBytes: number;
  /** What a new process can have of that card. */
  readonly cardBytes: number;
  readonly verdict: PlanVerdict;
}

/** The refusal that comes nearest to fitting; where none is about a size, the first one's reason. */
export type Nearest =
  | ({ readonly kind: 'size'; readonly strategy: Strategy } & SizeGap)
  | { readonly kind: 'reason'; readonly why: Message };

export type FirstAnswer =
  | { readonly kind: 'fits'; readonly method: MethodKind; readonly plan: AnsweringPlan }
  /** What was asked does not fit, something else that can be trained does. */
  | {
      readonly kind: 'instead';
      readonly method: MethodKind;
      readonly plan: AnsweringPlan;
      readonly nearest: Nearest | null;
    }
  | { readonly kind: 'nothing'; readonly method: MethodKind; readonly nearest: Nearest | null };

/**
 * @param rows judged plans, the best first
 * @param method what was asked to be trained
 */
export function firstAnswer(
  method: MethodKind,
  rows: readonly PlanRow[],
  refused: readonly Refusal[],
): FirstAnswer {
  const asked = answering(rows.find(({ changesTraining }) => !changesTraining));
  if (asked !== null) return { kind: 'fits', method, plan: asked };
  const nearest = nearestOf(refused.filter((refusal) => refusal.method === method));
  const instead = answering(rows[0]);
  return instead === null
    ? { kind: 'nothing', method, nearest }
    : { kind: 'instead', method, plan: instead, nearest };
}

function answering(row: PlanRow | undefined): AnsweringPlan | null {
  const card = row === undefined ? null : tightestRowCard(row.cards);
  if (row === undefined || card === null) return null;
  return { row, needBytes: card.expectedBytes, cardBytes: freeBytesOf(card), verdict: row.verdict };
}

function nearestOf(refused: readonly Refusal[]): Nearest | null {
  const sizes = refused.flatMap(({ gap, strategy }) =>
    gap === null ? [] : [{ kind: 'size', strategy, ...gap } as const],
  );
  const [first, ...others] = sizes;
  if (first !== undefined)
    return others.reduce(
      (least, one) => (one.needBytes - one.cardBytes < least.needBytes - least.cardBytes ? one : least),
      first,
    );
  const [reason] = refused;
  return reason === undefined ? null : { kind: 'reason', why: reason.why };
}
