import type { AttentionKernel } from '.';

/** How attention is asked for: written out in Python, or left to PyTorch with a choice of kernels. */
export type AttentionRequest = 'eager' | 'sdpa' | AttentionKernel;

export const ATTENTION_REQUESTS: readonly AttentionRequest[] = [
  'sdpa',
  'cudnn',
  'flash',
  'efficient',
  'math',
  'eager',
];
