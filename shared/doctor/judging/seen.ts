import { message } from '../../i18n/message';
import { matchesFormat, numberDetail } from './context';
import type { Context } from '../failures/readFailure';

/** The format of a failure that no text tells: Headroom saw a process end on a full card. */
export const seenFormat = 'seen-by-headroom' as const;

/** An even seenRise of so long is a leak to the forecast, too. */
export const leakSeconds = 300;

/** A process that has run so long is past its first steps: their peaks fitted. */
export const provenSeconds = 600;

export const hostFullShare = 0.95;

export function isSeen(context: Context): boolean {
  return matchesFormat(context, seenFormat);
}

export function isProven(context: Context): boolean {
  return seenDetail(context, 'ranForSeconds') >= provenSeconds;
}

/** 0 where it is not known: the rules ask for more than something. */
export function seenDetail(context: Context, name: string): number {
  return numberDetail(context.failure, name) ?? 0;
}

export function seenRise(context: Context) {
  return [
    message('doctorEvidence.seenRise', {
      slope: numberDetail(context.failure, 'slopeBytesPerSecond'),
      since: numberDetail(context.failure, 'risingForSeconds'),
    }),
  ];
}

export function seenOwnShare(context: Context) {
  const { own: held, capacity } = context.failure.quantities;
  if (held === null || capacity === null || capacity === 0) return [];
  return [message('doctorEvidence.seenOwn', { held, share: (100 * held) / capacity })];
}
