import { glmRotation, like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateHelium: FamilyForward = like({ attention: { rotary: glmRotation } });
