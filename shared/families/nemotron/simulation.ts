import { like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateNemotron: FamilyForward = like({
  attention: { rotary: { form: 'halves', parts: 'returned' } },
});
