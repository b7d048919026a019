/** Which weights QLoRA keeps in 4 bits, and how much they take. */
import type { Architecture } from '../../model/architecture';
import type { WeightQuantization } from '../tape/module';
import { FP32, HALF } from '../tape/tensor';
import type { Method, Precision } from '../configuration';
import { linearPlans } from './adapterPlan';

/**
 * Layers that a class keeps wide, and bitsandbytes leaves as they are (`_keep_in_fp32_modules`): the last product of T5's MLPs.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/t5/modeling_t5.py#L537
 */
const keepsWide = (family: string, path: string): boolean => family === 't5' && path.endsWith('.wo');

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
    paths: new Set(
      linearPlans(architecture, 1, 'all-linear')
        .map(({ modulePath }) => modulePath)
        .filter((path) => !keepsWide(architecture.family, path)),
    ),
    computeBytes: precision === 'fp32' ? FP32 : HALF,
    nested: method.doubleQuantization,
  };
}
