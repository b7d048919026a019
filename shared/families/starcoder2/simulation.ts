import { like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateStarcoder2: FamilyForward = like({ block: { mlp: { up: 'c_fc', down: 'c_proj' } } });
