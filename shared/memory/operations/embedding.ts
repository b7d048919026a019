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

/** As `embedding`, with indices that are an expanded view: the kernel reads a copy of them, forward and backward. */
export function embeddingOfExpanded(module: Module, indexShape: Shape, indices: Tensor): Tensor {
  const { tape } = module;
  const table = module.parameter('weight');
  const { shape, elementBytes } = table;
  const copyIndices = (): Tensor => tape.create(indexShape, indices.elementBytes);
  return tape.call(module.place, [indices], () => {
    const node = tape.record([table], [indices], (gradient) => {
      const copied = copyIndices();
      const result = tape.create(shape, gradient.elementBytes);
      tape.release(copied);
      return [result];
    });
    const copied = copyIndices();
    const output = tape.create([...indexShape, width(shape)], elementBytes);
    tape.release(copied);
    if (node !== null) tape.attach(output, node, 0);
    return output;
  });
}
