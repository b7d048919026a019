import { like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulatePhi: FamilyForward = like({
  names: { norm: 'final_layernorm' },
  block: { sum: 'branches-first', mlp: { up: 'fc1', down: 'fc2' } },
  attention: {
    output: 'dense',
    queryNorm: 'q_layernorm',
    keyNorm: 'k_layernorm',
    norms: 'heads-first',
    rotary: { form: 'halves', parts: 'outside' },
  },
});
