import { like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateGranite: FamilyForward = like({
  decoder: { embeddingScale: 'after' },
  block: { scalesBranches: true },
});
