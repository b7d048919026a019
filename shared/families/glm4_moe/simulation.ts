import { deepseekExpertsCode } from '../common/simulation/experts';
import { like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateGlm4Moe: FamilyForward = like({
  block: { experts: deepseekExpertsCode },
  attention: { norms: 'positions-first' },
});
