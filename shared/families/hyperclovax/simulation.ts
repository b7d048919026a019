/**
 * HyperCLOVA X: Granite's code with the norms of its own after both branches.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/hyperclovax/modeling_hyperclovax.py
 */
import { like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

/** The loss of its causal language model. */
export const simulateHyperclovax: FamilyForward = like({
  decoder: { embeddingScale: 'after' },
  block: { scalesBranches: true },
  norms: { afterAttention: 'post_norm1', beforeMlp: 'post_attention_layernorm', afterMlp: 'post_norm2' },
});
