import { fullMask, like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateQwen2: FamilyForward = like(fullMask);
