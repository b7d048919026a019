/** DeBERTa's two versions, told apart by their type; files of the third name the second. */
import type { FamilyForward } from '../forward';
import { debertaLoss } from './firstVersion';
import { debertaV2Loss } from './secondVersion';

/** The loss of either version. */
export const simulateDeberta: FamilyForward = (forward) =>
  forward.architecture.modelType === 'deberta' ? debertaLoss(forward) : debertaV2Loss(forward);
