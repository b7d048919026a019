import { like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateLatentDense: FamilyForward = like({});
