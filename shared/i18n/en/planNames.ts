/** The names of strategies and other choices of a plan, in words that people know. */
export const planNames = {
  auto: 'Chosen by the planner',

  single: 'One card',
  dataParallel: 'DataParallel, one process',
  ddp: 'DDP, full copies',
  ddpBucketView: 'DDP, full copies, bucket views',
  fsdpFull: 'FSDP, full shards',
  fsdpGradOp: 'FSDP, gradients and optimizer sharded',
  zero1: 'ZeRO-1, optimizer sharded',
  zero2: 'ZeRO-2, optimizer and gradients sharded',
  zero3: 'ZeRO-3, everything sharded',
  tensor: 'Tensor parallel, every layer split',
  pipeline: 'Pipeline, layers split into stages',

  full: 'Full fine-tuning',
  lora: 'LoRA',
  qlora: 'QLoRA',

  fp32: 'fp32',
  ampBfloat16: 'AMP bf16',
  ampFloat16: 'AMP fp16',
  bfloat16: 'bf16',

  adamw: 'AdamW (foreach)',
  adamwFused: 'AdamW (fused)',
  adamwLoop: 'AdamW (loop)',
  sgd: 'SGD',
  sgdMomentum: 'SGD with momentum',
  adafactor: 'Adafactor',
  adamw8bit: 'AdamW, 8-bit',
  pagedAdamw8bit: 'AdamW, 8-bit, paged',
  lion: 'Lion',
  muon: 'Muon',

  keepsActivations: 'activations kept',
  checkpointing: 'activations recomputed',
  selective: 'attention recomputed',
  segments: 'recomputed in segments',

  sdpa: 'PyTorch’s choice (SDPA)',
  cudnn: 'cuDNN',
  flash: 'Flash',
  efficient: 'Memory-efficient',
  math: 'Math',
  eager: 'Eager, written out',

  noOffload: 'nothing offloaded',
  offloadOptimizer: 'optimizer in host memory',
  offloadAll: 'weights and optimizer in host memory',
  offloadNvme: 'weights and optimizer on NVMe',

  longestSequence: 'Longest sequence',
  largestBatch: 'Largest batch',
  smallestCard: 'Smallest card',
  cheapestChange: 'Cheapest change that fits',
} as const;
