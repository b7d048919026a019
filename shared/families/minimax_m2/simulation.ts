import { mixtralExpertsCode } from '../common/simulation/experts';
import { like } from '../common/simulation/llamaLike';
import { minimaxRouter } from '../common/simulation/routers';
import type { FamilyForward } from '../forward';

export const simulateMinimaxM2: FamilyForward = like({
  block: { experts: { ...mixtralExpertsCode, route: minimaxRouter } },
  attention: { views: 'after-projections' },
});
