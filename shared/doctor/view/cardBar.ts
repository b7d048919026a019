import { message, type Message } from '../../i18n/message';
import { quantitiesOf } from '../failures/quantities';
import type { Failure } from '../types';

/** What a piece of the card's bar stands for, in the order in which they lie on it. */
type PieceKind = 'allocated' | 'unallocated' | 'context' | 'process' | 'others' | 'unexplained' | 'request';

export interface BarPiece {
  readonly kind: PieceKind;
  readonly name: Message;
  readonly bytes: number;
}

/**
 * A failure's numbers as the bar of its card. The request begins where the free memory begins, so that what sticks out
 * over the card's end is what did not fit.
 */
export interface FailureBar {
  readonly cardBytes: number;
  readonly freeBytes: number | null;
  readonly pieces: readonly BarPiece[];
  /** What the full width stands for: the card, or more where the request or the tensors run over its end. */
  readonly scaleBytes: number;
  /** The request is so large that the bar shows only its beginning. */
  readonly requestIsCut: boolean;
}

/** A request of many cards' size must not shrink the card to a line. */
const widestScale = 2;

/** Null where the message tells neither the card's size nor a limit in its place. */
export function failureBar(failure: Failure): FailureBar | null {
  const quantities = quantitiesOf(failure.facts, failure.details['numbersAreEarlier'] === undefined);
  const cardBytes = quantities.capacity ?? quantities.allowed;
  if (cardBytes === null || cardBytes <= 0) return null;
  const { allocated, unallocated, own, free, outside, outsideIsBound, tried } = quantities;
  const mpsOthers = numberOf(failure.details['otherAllocationsBytes']);
  const isOthers = mpsOthers !== null || !outsideIsBound;
  const context = own === null ? null : own - (allocated ?? 0) - (unallocated ?? 0);
  const known: readonly (readonly [PieceKind, number | null])[] = [
    ['allocated', allocated],
    ['unallocated', unallocated],
    // Without a word of its tensors, all that is known is what the process held as a whole.
    [allocated === null && unallocated === null ? 'process' : 'context', context],
    [isOthers ? 'others' : 'unexplained', mpsOthers ?? outside],
  ];
  const pieces = known.flatMap(([kind, bytes]) => (bytes === null || bytes <= 0 ? [] : [piece(kind, bytes)]));
  const shown = pieces.reduce((sum, { bytes }) => sum + bytes, 0);
  const rest = free === null ? 0 : cardBytes - free - shown;
  if (rest > leastPiece(cardBytes)) pieces.push(piece('unexplained', rest));
  const used = Math.max(shown, shown + Math.max(0, rest));
  if (tried !== null) pieces.push(piece('request', tried));
  const wanted = used + (tried ?? 0);
  return {
    cardBytes,
    freeBytes: free,
    pieces,
    scaleBytes: Math.min(Math.max(cardBytes, wanted), widestScale * cardBytes),
    requestIsCut: wanted > widestScale * cardBytes,
  };
}

function numberOf(value: number | string | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

/** Rounded prints leave crumbs that are no memory of anybody. */
function leastPiece(cardBytes: number): number {
  return cardBytes / 200;
}

function piece(kind: PieceKind, bytes: number): BarPiece {
  return { kind, name: pieceName(kind), bytes };
}

function pieceName(kind: PieceKind): Message {
  switch (kind) {
    case 'allocated':
      return message('doctor.pieceAllocated');
    case 'unallocated':
      return message('doctor.pieceUnallocated');
    case 'context':
      return message('doctor.pieceContext');
    case 'process':
      return message('doctor.factThisProcess');
    case 'others':
      return message('doctor.pieceOthers');
    case 'unexplained':
      return message('doctor.pieceUnexplained');
    case 'request':
      return message('doctor.pieceRequest');
  }
}
