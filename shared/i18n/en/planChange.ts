/** Single changes to a plan, as instructions. */
export const planChange = {
  fusedOptimizer: 'Fused AdamW: the same step without temporary copies',
  attentionKernel: 'Attention by PyTorch’s kernels instead of written out',
  microBatch: 'Micro-batch {micro:n}, accumulated {steps:n} times',
  checkpointing: 'Recompute activations in backward',
  noCheckpointing: 'Keep activations instead of recomputing them',
  gradientShards: 'Split gradients and optimizer over the cards',
  fullShards: 'Split weights, gradients and optimizer over the cards',
  precision: 'Weights, gradients and optimizer in bf16',
  doubleQuantization: 'Quantise the scales of the 4-bit weights, too',
  eightBitOptimizer: 'Optimizer state in 8 bits',
  sequence: 'Samples of {sequence:n} tokens',
  offload: 'Keep weights and optimizer in host memory',
  lora: 'Train adapters instead of all parameters',
  qlora: 'Train adapters over a model in 4 bits',
} as const;
