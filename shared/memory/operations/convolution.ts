import type { Module } from '../tape/module';
import { elements, HALF, type Shape, type Tensor } from '../tape/tensor';
import { sumColumns } from './reductions';

const CHANNEL_ALIGNMENT = 8;
const WORKSPACE_TAIL_BYTES = 16;

/**
 * A convolution whose windows do not overlap, as vision models cut images into patches. Keeps input and weight. `pixels` is the
 * input's shape [batch, channels, pixels], `input` null where the batch's own tensor is read. In 16 bit cuDNN's tensor-core
 * kernels read channels last: input and weight, with channels filled up to 8, and the output are rearranged in a workspace.
 * The output [batch, patches, width] is a view of [batch, width, rows, columns], so backward makes its gradient contiguous.
 */
export function patchConvolution(module: Module, pixels: Shape, input: Tensor | null, output: Shape): Tensor {
  const { tape } = module;
  tape.usesCudnn = true;
  return tape.call(module.place, input === null ? [] : [input], () => {
    const bias = module.optional('bias');
    const weight = module.parameter('weight');
    const castBias = bias === null ? null : tape.castForProduct(bias);
    const castWeight = tape.castForProduct(weight);
    const elementBytes = castWeight.elementBytes;
    const needsCast = tape.autocast && input === null;
    const image = needsCast ? tape.create(pixels, HALF) : input;
    const weightShape = castWeight.shape;
    const [channels = 1] = weightShape.slice(1);
    const padded = Math.ceil(channels / CHANNEL_ALIGNMENT) * CHANNEL_ALIGNMENT;
    const workspace =
      elementBytes === HALF
        ? HALF * ((elements(pixels) + elements(weightShape)) * (padded / channels) + elements(output)) +
          WORKSPACE_TAIL_BYTES
        : 0;
    const useWorkspace = (): void => {
      if (workspace > 0) tape.scratch(workspace);
    };
    const node = tape.record([image, castWeight, castBias], [image, castWeight], () => {
      const ordered = tape.create(output, elementBytes);
      const toWeight = tape.create(weightShape, elementBytes);
      useWorkspace();
      tape.release(ordered);
      const [batch = 1, patches = 1, size = 1] = output;
      // The bias' gradient sums the output's, which lies in memory as rows of channels.
      return [null, toWeight, bias === null ? null : sumColumns(tape, batch * patches, size, elementBytes)];
    });
    const result = tape.create(output, elementBytes);
    useWorkspace();
    if (node !== null) tape.attach(result, node, 0);
    for (const used of [image, castWeight, castBias]) if (used !== null) tape.consume(used);
    return result;
  });
}
