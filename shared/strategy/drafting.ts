/** Drafts of all scopes: concessions are looked for only where nothing that was asked fits on the cards. */
import { draftOf, type Obstacle } from './draft';
import { candidatesOf, type Scope } from './enumerate';
import { refusalOf } from './refusals';
import type { PlanCandidate, Draft, PlanningUpdate, PlanQuestion } from './types';

/** A candidate that cannot be. */
export interface Refused extends Obstacle {
  readonly candidate: PlanCandidate;
}

export interface Drafts {
  readonly drafts: readonly Draft[];
  readonly refused: readonly Refused[];
}

const scopes: readonly Scope[] = ['asked', 'narrower', 'adapters'];

/** Tells each draft as soon as it is there. */
export function* drafted(question: PlanQuestion): Generator<PlanningUpdate, Drafts> {
  const drafts: Draft[] = [];
  const refused: Refused[] = [];
  for (const scope of scopes) {
    if (scope !== 'asked' && drafts.some(isEnough)) break;
    for (const candidate of candidatesOf(question, scope)) {
      if (isNeedless(question, candidate, drafts)) continue;
      const drafting = draftOf(question, candidate);
      if (drafting.kind === 'refused') {
        const { gap, why } = drafting;
        const one = { candidate, gap, why };
        refused.push(one);
        yield { kind: 'refused', refusal: refusalOf(one) };
      } else {
        drafts.push(drafting.draft);
        yield { kind: 'draft', draft: drafting.draft };
      }
    }
  }
  return { drafts, refused };
}

/** What was asked fits without the detour over the machine's memory. */
const isEnough = ({ candidate: { changesTraining, request }, verdict }: Draft): boolean =>
  verdict === 'fits' && request.offload === 'none' && !changesTraining;

/** Offloading what fits on the cards only makes it slower, as cards that take turns do where a pipeline fits. */
function isNeedless({ wished }: PlanQuestion, { request }: PlanCandidate, drafts: readonly Draft[]): boolean {
  const offloads = request.offload !== 'none' && !wished.has('offload');
  const takesTurns =
    request.strategy === 'pipeline' && request.schedule === 'sequential' && !wished.has('schedule');
  if (!offloads && !takesTurns) return false;
  return drafts.some(
    ({ candidate: { request: other }, verdict }) =>
      verdict === 'fits' &&
      other.offload === 'none' &&
      (!takesTurns || other.schedule !== 'sequential') &&
      other.strategy === request.strategy &&
      other.world === request.world &&
      other.training.method.kind === request.training.method.kind,
  );
}
