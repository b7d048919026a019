import { bothMasks, gemmaNorms, like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateVaultgemma: FamilyForward = like({ ...bothMasks, norms: gemmaNorms });
