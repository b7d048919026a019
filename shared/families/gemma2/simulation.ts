import { bothMasks, gemmaNorms, like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateGemma2: FamilyForward = like({ ...bothMasks, norms: gemmaNorms });
