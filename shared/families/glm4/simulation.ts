import { glmRotation, like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateGlm4: FamilyForward = like({
  attention: { rotary: glmRotation },
  norms: { afterAttention: 'post_self_attn_layernorm', afterMlp: 'post_mlp_layernorm' },
});
