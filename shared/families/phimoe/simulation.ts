import { mixtralExpertsCode } from '../common/simulation/experts';
import { like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';
import { sparseMixerRouter } from './sparseMixer';

export const simulatePhimoe: FamilyForward = like({
  decoder: { tables: 'anew' },
  block: { experts: { ...mixtralExpertsCode, gate: 'router', route: sparseMixerRouter } },
});
