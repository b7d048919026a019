import { mixtralExpertsCode } from '../common/simulation/experts';
import { glmRotation, like } from '../common/simulation/llamaLike';
import { ernieRouter } from '../common/simulation/routers';
import type { FamilyForward } from '../forward';

export const simulateErnie45Moe: FamilyForward = like({
  block: {
    experts: {
      ...mixtralExpertsCode,
      route: ernieRouter,
      shared: { module: 'shared_experts', order: 'before' },
    },
  },
  attention: { rotary: glmRotation },
});
