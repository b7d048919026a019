/** The card that a request is planned for. */
import { type GpuModel, H200 } from '../gpu/models';
import type { EstimateRequest } from '../memory/configuration';

/** The card of a request: the one named, or the one that was measured. */
export const cardOf = ({ card }: Pick<EstimateRequest, 'card'>): GpuModel => card ?? H200;

/** Whether it computes in bf16, which came with Ampere as FlashAttention's kernels did: compute capability 8.0. */
export const hasBfloat16 = (request: Pick<EstimateRequest, 'card'>): boolean =>
  cardOf(request).flashAttention;
