/** The norms of transformers' models; what they add to keep from dividing by zero bears on no size. */
import type { Norm } from './architecture';

/** Root mean square only, with a weight: llama and most since. */
export const rmsNorm: Norm = { kind: 'rms', weight: true, bias: false, onePlusWeight: false, fp32: false };

/** Gemma's: multiplies by one plus its weight, in fp32. */
export const gemmaNorm: Norm = { ...rmsNorm, onePlusWeight: true, fp32: true };

/** `nn.LayerNorm` with weight and bias. */
export const layerNorm: Norm = { ...rmsNorm, kind: 'layer', bias: true };

/** Cohere's, MPT's and ModernBERT's. */
export const layerNormWithoutBias: Norm = { ...layerNorm, bias: false };

/** OLMo's. */
export const layerNormWithoutParameters: Norm = { ...layerNormWithoutBias, weight: false };
