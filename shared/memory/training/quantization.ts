/** Which weights QLoRA keeps in 4 bits, and how much they take. */
import type { Architecture } from '../../model/architecture';
import type { WeightQuantization } from '../tape/module';
import { FP32, HALF } from '../tape/tensor';
import type { Method, Precision } from '../configuration';
import { linearPlans } from './adapterPlan';

/**
 * bitsandbytes' nf4 through transformers: every linear layer but the output layer, which are also those that `all-linear` adapts.
 * Null where the method quantises nothing.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/integrations/bitsandbytes.py
 */
export function quantizationOf(
  architecture: Architecture,
  method: Method,
  precision: Precision,
): WeightQuantization | null {
  if (method.kind !== 'qlora') return null;
  return {
    paths: new Set(linearPlans(architecture, 1, 'all-linear').map(({ modulePath }) => modulePath)),
    computeBytes: precision === 'fp32' ? FP32 : HALF,
    nested: method.doubleQuantization,
  };
}
