/** How latent attention turns the rotated parts of the query and of the key that all heads share. */
import { complexProduct } from '../../../memory/operations/complex';
import { cast } from '../../../memory/operations/elementwise';
import { viewWithGradientCopy } from '../../../memory/operations/layout';
import { hold, holdAll, release } from '../../../memory/tape/tape';
import { FP32, type Tensor } from '../../../memory/tape/tensor';
import type { AttentionForm } from './attention';
import { type RotaryTables, rotateQueryAndKey } from './rotary';

/** As the file asks, by pairs of neighbours or by halves (DeepSeek V3), or as complex numbers (V2). */
export type LatentRotation = 'as-asked' | 'complex';

/**
 * Turns the rotated parts of the query [batch, heads, positions, d] and of the key [batch, 1, positions, d], which the caller has named
 * and now rebinds; the results are held. Complex products keep the table.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/deepseek_v2/modeling_deepseek_v2.py#L267
 */
export function rotateLatent(
  rotation: LatentRotation,
  interleaved: boolean,
  query: Tensor,
  key: Tensor,
  tables: RotaryTables,
  form: AttentionForm,
): [Tensor, Tensor] {
  if (rotation === 'as-asked') {
    const pairs = interleaved ? 'crossed-pairs' : 'halves';
    return rotateQueryAndKey({ form: pairs, parts: 'inside' }, query, key, tables);
  }
  const [turnedQuery, turnedKey] = query.tape.frame([], () => {
    const wideQuery = hold(cast(query, FP32));
    const wideKey = hold(cast(key, FP32));
    const product = complexProduct(wideQuery, tables.cos);
    // The query's gradient is a part of a longer one, which complex numbers cannot look at. A cast has laid it out already, unless
    // the kernel wrote positions in front of heads.
    const looked =
      query === wideQuery || form === 'efficient' ? viewWithGradientCopy(product, product.shape) : product;
    return [
      hold(cast(looked, query.elementBytes)),
      hold(cast(complexProduct(wideKey, tables.cos), key.elementBytes)),
    ];
  });
  holdAll([turnedQuery, turnedKey]);
  release(query);
  release(key);
  return [turnedQuery, turnedKey];
}
