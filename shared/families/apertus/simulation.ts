import { like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateApertus: FamilyForward = like({
  norms: { beforeAttention: 'attention_layernorm', beforeMlp: 'feedforward_layernorm' },
  attention: { norms: 'heads-first' },
});
