import { message } from '../../i18n/message';
import { isStory, numberDetail } from './context';
import type { Context } from '../failures/readFailure';

/** Memory errors of the card: NVIDIA's table of Xid errors, https://docs.nvidia.com/deploy/xid-errors/. */
export const eccXids: ReadonlySet<number> = new Set([48, 63, 64, 92, 94, 95]);

/** The card's own processor no longer answers. */
export const gspXids: ReadonlySet<number> = new Set([61, 62, 119, 120]);

/** NCCL names the two ranks; no memory is missing, but each rank must have a card of its own. */
export function sharedCard({ failure }: Context) {
  const ranks = [failure.details['firstRank'], failure.details['secondRank']].map((rank) =>
    String(rank ?? '?'),
  );
  return [
    message('doctorEvidence.ranksShareCard', {
      first: ranks[0] ?? '?',
      second: ranks[1] ?? '?',
      card: String(failure.details['busId'] ?? '?'),
    }),
  ];
}

export function xid(context: Context): number | null {
  return isStory(context, 'driver') ? numberDetail(context.failure, 'xid') : null;
}
