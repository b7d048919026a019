import { deepseekExpertsCode } from '../common/simulation/experts';
import { like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateDeepseekV3: FamilyForward = like({ block: { experts: deepseekExpertsCode } });
