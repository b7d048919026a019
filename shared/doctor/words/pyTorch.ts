import type { Words } from './topics';

/** PyTorch's own calls, for a program that stands on it and has no word of its own. */
export const pyTorchWords: Words = {
  checkpointing: 'torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)',
  eightBitOptimizer: 'bitsandbytes.optim.AdamW8bit(model.parameters(), lr=…)',
  shardedOptimizer: 'ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=…)',
  shardedModel: 'torch.distributed.fsdp.fully_shard(model)',
  fusedAttention: 'torch.nn.functional.scaled_dot_product_attention(query, key, value)',
  dataWorkers: 'DataLoader(…, num_workers=2)',
  pageLocking: 'DataLoader(…, pin_memory=False)',
  reducedPredictions: 'predictions.append(logits.argmax(-1).cpu())',
  roomForLibrary: 'torch.cuda.set_per_process_memory_fraction(0.95)',
};
