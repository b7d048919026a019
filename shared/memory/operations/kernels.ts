/** Which attention kernel PyTorch takes. */
import { FP32 } from '../tape/tensor';
import type { AttentionKernel } from './attention';

/** What the choice depends on. */
export interface KernelQuestion {
  /** `sdpa`: PyTorch chooses; a kernel's name: the others are switched off. */
  readonly request: 'sdpa' | AttentionKernel;
  /** Element size of query, key and value as the kernel gets them. */
  readonly elementBytes: number;
  readonly headDim: number;
  readonly valueDim: number;
  readonly grouped: boolean;
  readonly hasMask: boolean;
  /** A mask with a gradient, such as a table of relative positions: laid out as the scores are, or otherwise. */
  readonly trainedMask?: 'in-order' | 'transposed' | null;
  /** Cards before Hopper have no cuDNN attention, cards before Ampere no flash attention. */
  readonly cudnnAttention: boolean;
  readonly flashAttention: boolean;
}

/**
 * The kernel that runs. fp32 has only the efficient kernel, which cannot repeat grouped heads: PyTorch then falls back to
 * plain operations. Flash takes no mask and no values of another width, cuDNN makes no gradient of one, the efficient kernel reads only masks whose rows are
 * contiguous.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/transformers/cuda/sdp_utils.cpp
 */
export function chooseKernel(question: KernelQuestion): AttentionKernel {
  const { request, elementBytes, grouped, hasMask, headDim, cudnnAttention, flashAttention } = question;
  const { trainedMask = null } = question;
  const sameDim = headDim === question.valueDim;
  if (request === 'math' || trainedMask === 'transposed') return 'math';
  const narrow = elementBytes !== FP32 && trainedMask === null;
  if (request === 'cudnn' || (request === 'sdpa' && cudnnAttention)) if (narrow) return 'cudnn';
  if (request !== 'efficient' && flashAttention && narrow && !hasMask && sameDim && headDim <= 256)
    return 'flash';
  return grouped ? 'math' : 'efficient';
}
