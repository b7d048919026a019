/** Scaled dot-product attention by any of PyTorch's kernels. */
import { hold, release } from '../../tape/tape';
import { BOOL, type Tensor } from '../../tape/tensor';
import type { AttentionCall } from './call';
import { cudnnAttention } from './cudnn';
import { efficientAttention } from './efficient';
import { flashAttention } from './flash';
import { mathAttention } from './math';

/** PyTorch's backends of `scaled_dot_product_attention`. */
export type AttentionKernel = 'cudnn' | 'flash' | 'efficient' | 'math';

/** `scaled_dot_product_attention` by the given kernel. Autocast casts mask, value, key and query, in that order. */
export function scaledDotProduct(call: AttentionCall, kernel: AttentionKernel): Tensor {
  const { tape } = call.query;
  const inputs = [call.query, call.key, call.value, ...(call.mask === null ? [] : [call.mask])];
  return tape.frame(inputs, () => {
    const mask = call.mask === null ? null : hold(tape.castForProduct(call.mask));
    const value = tape.castForProduct(call.value);
    const key = tape.castForProduct(call.key);
    const query = tape.castForProduct(call.query);
    // The dispatcher's wrapper holds the casts until the kernel returns.
    const cast = { ...call, query, key, value, mask: mask === null ? null : additiveMask(mask, query) };
    switch (kernel) {
      case 'cudnn':
        return cudnnAttention(cast);
      case 'flash':
        return flashAttention(cast);
      case 'efficient':
        return efficientAttention(cast);
      case 'math':
        for (const input of [query, key, value, mask]) if (input !== null) input.floating = false;
        return tape.underAutocast(false, () => mathAttention(cast));
    }
  });
}

/** A boolean mask as the kernels take it: 0 and minus infinity in the query's type, written anew in each call. */
function additiveMask(mask: Tensor, query: Tensor): Tensor {
  if (mask.elementBytes !== BOOL) return mask;
  const { tape, elementBytes } = query;
  const minusInfinity = tape.create([1], elementBytes);
  const zero = tape.create([1], elementBytes);
  const additive = hold(tape.create(mask.shape, elementBytes));
  for (const scalar of [zero, minusInfinity]) release(scalar);
  return additive;
}
