/** Images cut into patches. */
import { convolution } from '../../../memory/operations/convolution';
import type { Module } from '../../../memory/tape/module';
import { hold } from '../../../memory/tape/tape';
import type { Tensor } from '../../../memory/tape/tensor';
import type { Stack } from '../../../model/architecture';
import type { Forward } from '../../forward';
import { dimension, imagesOf } from './expected';

/**
 * The patches' embeddings [batch, patches, width] by a convolution. Pixels are brought to the weights' type first; the copy stays with the
 * surrounding call, and backward keeps what the convolution read.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/vit/modeling_vit.py#L42
 */
export function patchEmbeddings(forward: Forward, projection: Module, stack: Stack): Tensor {
  const { tape, batch, modelBytes, pixelBytes } = forward;
  const { channels, patches, patchSize } = imagesOf(stack);
  const width = dimension(projection.parameter('weight'), 0);
  const pixels = [batch, channels, patchSize ** 2 * patches];
  return convolution(projection, {
    inputShape: pixels,
    input: modelBytes === pixelBytes ? null : hold(tape.create(pixels, modelBytes)),
    outputShape: [batch, patches, width],
    windows: 'patches',
  });
}
