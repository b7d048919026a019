import { like, qwenExperts } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateOlmoe: FamilyForward = like({
  block: { experts: qwenExperts },
  attention: { views: 'after-projections' },
});
