import { deepseekExpertsCode } from '../common/simulation/experts';
import { fullMask, like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateDots1: FamilyForward = like({ ...fullMask, block: { experts: deepseekExpertsCode } });
