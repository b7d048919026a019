import { bothMasks, like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateCohere2: FamilyForward = like({
  ...bothMasks,
  attention: { rotary: { form: 'wide-neighbours', parts: 'inside' } },
});
