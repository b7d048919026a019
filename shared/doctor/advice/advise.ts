import type { Context } from '../failures/readFailure';
import type { FoundCause } from '../judging/judge';
import type { Failure } from '../types';
import { meaningOf } from './meaning';
import { missingFor } from './missing';
import { notHelpfulFor } from './notHelpful';

/** What to do about the causes that were found, what does nothing, and what the text does not tell. */
export function advise(
  context: Context,
  found: readonly FoundCause[],
): Pick<Failure, 'causes' | 'meaning' | 'notHelpful' | 'missing'> {
  return {
    causes: found.map(({ cause, confidence, evidence, definition }) => ({
      cause,
      confidence,
      evidence,
      fixes: definition.fixes(context).filter((fix) => fix !== null),
    })),
    meaning: found.length === 0 ? meaningOf(context) : null,
    notHelpful: notHelpfulFor(context, found),
    missing: missingFor(context, found),
  };
}
