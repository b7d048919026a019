import type { FindingSeverity } from '../../shared/check/types';

/** The mark of a severity; the word stands beside it. */
export const levelOf = { error: 'critical', warning: 'warning', info: 'info' } as const satisfies Record<
  FindingSeverity,
  string
>;
