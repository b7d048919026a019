import { fullMask, like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateQwen3: FamilyForward = like(fullMask);
