import { fullMask, like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateExaone4: FamilyForward = like({ ...fullMask, attention: { norms: 'heads-first' } });
