import { like, qwenExperts } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateQwen2Moe: FamilyForward = like({
  decoder: { masks: 'and-empty-window' },
  block: { experts: qwenExperts },
});
