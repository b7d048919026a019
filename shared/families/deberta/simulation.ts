/** DeBERTa's two versions, told apart by their type; files of the third name the second. */
import type { FamilyForward } from '../forward';
import { simulateFirstVersion } from './firstVersion';
import { simulateSecondVersion } from './secondVersion';

/** The loss of either version. */
export const simulateDeberta: FamilyForward = (forward) =>
  forward.architecture.modelType === 'deberta'
    ? simulateFirstVersion(forward)
    : simulateSecondVersion(forward);
