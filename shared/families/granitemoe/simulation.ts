import { mixtralExpertsCode } from '../common/simulation/experts';
import { like } from '../common/simulation/llamaLike';
import { graniteRouter } from '../common/simulation/routers';
import type { FamilyForward } from '../forward';

export const simulateGraniteMoe: FamilyForward = like({
  decoder: { embeddingScale: 'after-masks' },
  block: {
    scalesBranches: true,
    experts: {
      ...mixtralExpertsCode,
      module: 'block_sparse_moe',
      gate: 'router',
      route: graniteRouter,
      shared: { module: 'shared_mlp', order: 'beside' },
    },
  },
});
