import { glmRotation, like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateErnie45: FamilyForward = like({ attention: { rotary: glmRotation } });
