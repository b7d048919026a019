import { deepseekExpertsCode } from '../common/simulation/experts';
import { latentAttention } from '../common/simulation/latentAttention';
import { like } from '../common/simulation/llamaLike';
import { deepseekV2Router } from '../common/simulation/routers';
import type { FamilyForward } from '../forward';

export const simulateDeepseekV2: FamilyForward = like({
  decoder: { tables: 'complex' },
  block: {
    experts: { ...deepseekExpertsCode, route: deepseekV2Router },
    attendLatent: latentAttention('complex'),
  },
});
