import { like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateStablelm: FamilyForward = like({
  block: { namesBranches: true, dropout: 'mlp' },
  attention: {
    queryNorm: 'q_layernorm',
    keyNorm: 'k_layernorm',
    norms: 'heads-first',
    views: 'after-projections',
    rotary: { form: 'halves', parts: 'outside' },
  },
});
