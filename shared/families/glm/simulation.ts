import { glmRotation, like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateGlm: FamilyForward = like({ attention: { rotary: glmRotation } });
