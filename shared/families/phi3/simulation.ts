import { like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulatePhi3: FamilyForward = like({
  attention: { rotary: { form: 'halves', parts: 'nested' } },
});
