import { hunyuanAttention, like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateHunyuanV1Dense: FamilyForward = like({ attention: hunyuanAttention });
