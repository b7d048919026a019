import { fullMask, like, qwenExperts } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateQwen3Moe: FamilyForward = like({ ...fullMask, block: { experts: qwenExperts } });
