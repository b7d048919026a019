import { gemmaNorms, like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateGemma3: FamilyForward = like({
  decoder: { masks: 'and-both', tablesFor: 'each-kind' },
  norms: gemmaNorms,
  attention: { norms: 'heads-first' },
});
