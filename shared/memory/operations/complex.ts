/** Products of complex numbers, each looked at as two fp32 ones. */
import type { Tensor } from '../tape/tensor';

/**
 * `x * table`, both complex: keeps the table; backward writes its conjugate out, which `mul` cannot read as a view, and makes x's
 * gradient.
 */
export function complexProduct(x: Tensor, table: Tensor): Tensor {
  const { tape, elementBytes, shape } = x;
  return tape.apply([x], [table], shape, elementBytes, () => {
    tape.create(table.shape, table.elementBytes);
    return [tape.create(shape, elementBytes)];
  });
}
