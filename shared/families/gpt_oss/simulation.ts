import { mixtralExpertsCode } from '../common/simulation/experts';
import { eagerOnly, like } from '../common/simulation/llamaLike';
import { gptOssRouter } from '../common/simulation/routers';
import type { FamilyForward } from '../forward';

export const simulateGptOss: FamilyForward = eagerOnly(
  like({
    decoder: { masks: 'and-both', tables: 'single' },
    attention: { rotary: { form: 'crossed-halves', parts: 'inside' } },
    block: {
      experts: {
        ...mixtralExpertsCode,
        gate: 'router',
        route: gptOssRouter,
        activate: 'clamped-pairs',
        returnsWeights: true,
      },
    },
  }),
);
