import { mixtralExpertsCode } from '../common/simulation/experts';
import { hunyuanAttention, like } from '../common/simulation/llamaLike';
import { hunyuanRouter } from '../common/simulation/routers';
import type { FamilyForward } from '../forward';

export const simulateHunyuanV1Moe: FamilyForward = like({
  block: {
    experts: {
      ...mixtralExpertsCode,
      route: hunyuanRouter,
      shared: { module: 'shared_mlp', order: 'before' },
      rows: 'after-router',
    },
  },
  attention: hunyuanAttention,
});
