/** What of a step depends on the card, with the source of each number. */
import type { CardTraits } from './tape/tape';

const MIB = 2 ** 20;

/**
 * NVIDIA H200, measured (`data/measured`): 132 multiprocessors of 2,048 threads, cuBLAS workspaces of 32 MiB, 1 MiB for
 * cuBLASLt, cuDNN's fused attention.
 */
export const H200: CardTraits = {
  multiprocessors: 132,
  threadsPerMultiprocessor: 2048,
  cublasWorkspaceBytes: 32 * MIB,
  cublasLtWorkspaceBytes: MIB,
  cudnnAttention: true,
};
