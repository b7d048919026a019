import { deepseekExpertsCode } from '../common/simulation/experts';
import { fullMask, like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateExaoneMoe: FamilyForward = like({
  ...fullMask,
  block: { experts: deepseekExpertsCode },
  attention: { norms: 'heads-first' },
});
