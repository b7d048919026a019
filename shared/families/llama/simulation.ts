import { type ExpertsCode, deepseekExpertsCode } from '../common/simulation/experts';
import { like } from '../common/simulation/llamaLike';
import { nearestRouter } from '../common/simulation/routers';
import type { FamilyForward } from '../forward';

/** Of unknown decoders that are read as llama's block: the most usual kind of experts, with an MLP behind them where there is one. */
const nearestExperts: ExpertsCode = { ...deepseekExpertsCode, route: nearestRouter };

export const simulateLlama: FamilyForward = like({ block: { experts: nearestExperts } });
