/** Images cut into patches. */
import type { Stack } from '../../../model/architecture';
import { convolution } from '../../operations/convolution';
import type { Module } from '../../tape/module';
import { hold } from '../../tape/tape';
import type { Tensor } from '../../tape/tensor';
import type { Forward } from '../context';

/**
 * The patches' embeddings [batch, patches, width] by a convolution. Pixels are brought to the weights' type first; the copy stays
 * with the surrounding call.
 */
export function patchEmbeddings(forward: Forward, projection: Module, { inputs }: Stack): Tensor {
  const { tape, batch, modelBytes, pixelBytes } = forward;
  if (inputs.kind !== 'patches') throw new Error('An image model reads patches.');
  const count = inputs.patches ?? 0;
  const [width = 1] = projection.parameter('weight').shape;
  const pixels = [batch, inputs.channels, inputs.patchSize ** 2 * count];
  return convolution(projection, {
    inputShape: pixels,
    input: modelBytes === pixelBytes ? null : hold(tape.create(pixels, modelBytes)),
    outputShape: [batch, count, width],
    windows: 'patches',
  });
}
