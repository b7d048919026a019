import { bothMasks, like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateMinistral: FamilyForward = like(bothMasks);
