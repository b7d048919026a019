/** Whose code simulates a model: its family's own, or the one that simulates any model from its facts. */
import type { FamilyForward } from '../families/forward';
import { simulationOf } from '../families/registry';
import { simulateUnlisted } from '../families/unlisted/simulation';
import type { Architecture } from '../model/architecture';
import { dryRun } from './dryRun';

/** The family's own forward, or null where none is written. */
export const forwardOf = (family: string): FamilyForward | null => simulationOf(family)?.simulate ?? null;

/** How a model is simulated: by its family's own code, or by its facts and shapes alone where there is none. */
export interface ChosenForward {
  readonly forward: FamilyForward;
  readonly ownCode: boolean;
  /** False where the code has parts, such as a router, of which no step was recorded. */
  readonly isTraced: boolean;
}

/**
 * The forward for any model, and how far it was compared with recorded steps: the family's own code where it is declared to be the
 * model's and a dry run finds all that it asks for, else the one that simulates any model from its facts. Never null.
 */
export function forwardFor(architecture: Architecture): ChosenForward {
  const own = simulationOf(architecture.family);
  const isOwn =
    own !== null &&
    own.supports?.(architecture) !== false &&
    dryRun(own.simulate, architecture).kind === 'complete';
  return isOwn
    ? { forward: own.simulate, ownCode: true, isTraced: (own.unrecorded?.(architecture) ?? null) === null }
    : { forward: simulateUnlisted, ownCode: false, isTraced: false };
}
