import type { Norm } from './architecture';

/** Root mean square only, with a weight: llama and most since. */
export function rmsNorm(epsilon: number): Norm {
  return { kind: 'rms', weight: true, bias: false, onePlusWeight: false, fp32: false, epsilon };
}

/** Gemma's: multiplies by one plus its weight, in fp32. */
export function gemmaNorm(epsilon: number): Norm {
  return { ...rmsNorm(epsilon), onePlusWeight: true, fp32: true };
}

export function layerNorm(epsilon: number, bias = true): Norm {
  return { kind: 'layer', weight: true, bias, onePlusWeight: false, fp32: false, epsilon };
}

/** A LayerNorm without parameters (OLMo). */
export function plainLayerNorm(epsilon: number): Norm {
  return { kind: 'layer', weight: false, bias: false, onePlusWeight: false, fp32: false, epsilon };
}
