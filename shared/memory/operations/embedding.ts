/** Table look-ups. */
import type { Module } from '../tape/module';
import { type Shape, type Tensor, width } from '../tape/tensor';

/**
 * `nn.Embedding`: keeps the indices; backward makes a gradient of the whole table. `indices` null: they belong to the
 * batch, which lives through the step anyway.
 */
export function embedding(module: Module, indexShape: Shape, indices: Tensor | null): Tensor {
  const { tape } = module;
  const table = module.parameter('weight');
  const { shape, elementBytes } = table;
  return tape.call(module.place, indices === null ? [] : [indices], () =>
    tape.apply([table], [indices], [...indexShape, width(shape)], elementBytes, (gradient) => [
      tape.create(shape, gradient.elementBytes),
    ]),
  );
}
