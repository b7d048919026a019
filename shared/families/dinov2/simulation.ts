/**
 * DINOv2 with a classifier: ViT with a scale learned for each branch; the classifier reads the class token and the patches' mean.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/dinov2/modeling_dinov2.py
 */
import { add, dropout, multiply } from '../../memory/operations/elementwise';
import { concatenate, firstPosition, meanOfPositions, sliceOf } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { crossEntropy } from '../../memory/operations/loss';
import { layerNorm } from '../../memory/operations/norms';
import type { Module } from '../../memory/tape/module';
import { hold, last } from '../../memory/tape/tape';
import type { Tensor } from '../../memory/tape/tensor';
import type { Layer, SoftmaxAttention, Stack } from '../../model/architecture';
import { runBlocks } from '../common/simulation/blocks';
import { type ProjectionNames, outputOf, projectAndAttend } from '../common/simulation/encoderAttention';
import { firstStack, plainLayer } from '../common/simulation/expected';
import { towerMlp } from '../common/simulation/towerLayer';
import type { FamilyForward, Forward } from '../forward';
import { vitEmbeddings } from '../vit/simulation';

/** The key is projected first, the query last. */
const projections: ProjectionNames = {
  query: 'query',
  key: 'key',
  value: 'value',
  order: ['key', 'value', 'query'],
};

/**
 * `Dinov2ForImageClassification.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/dinov2/modeling_dinov2.py#L486
 */
export const simulateDinov2: FamilyForward = (forward) => {
  const { tape, root, architecture } = forward;
  const stack = firstStack(architecture);
  return tape.frame([], () => {
    const hidden = hold(dinov2Model(forward, root.child('dinov2'), stack));
    return tape.as('logits', () => {
      const [batch = 1, positions = 1, width = 1] = hidden.shape;
      const classToken = hold(firstPosition(hidden));
      const patches = hold(sliceOf(hidden, [batch, positions - 1, width]));
      const both = hold(concatenate([classToken, meanOfPositions(patches)]));
      const logits = hold(linear(root.child('classifier'), both));
      return crossEntropy(logits, null);
    });
  });
};

function dinov2Model(forward: Forward, model: Module, stack: Stack): Tensor {
  const { tape } = forward;
  return tape.call(model.place, [], () => {
    const embedded = hold(vitEmbeddings(forward, model.child('embeddings'), stack));
    const encoder = model.child('encoder');
    const run = {
      blocks: encoder.child('layer'),
      layers: stack.layers,
      hidden: embedded,
      named: 'first',
    } as const;
    const encoded = hold(
      tape.call(encoder.place, [], () =>
        runBlocks(forward, run, (block, layer, x) => dinov2Layer(forward, block, layer, stack, x)),
      ),
    );
    return layerNorm(model.child('layernorm'), encoded);
  });
}

function dinov2Layer(forward: Forward, block: Module, layer: Layer, stack: Stack, x: Tensor): Tensor {
  const { mixer, feedForward } = plainLayer(layer);
  const normed = hold(layerNorm(block.child('norm1'), x));
  const attended = hold(attention(forward, block.child('attention'), mixer, stack, normed));
  const scaled = hold(layerScale(block.child('layer_scale1'), last(attended)));
  const middle = hold(add(scaled, x));
  let output = hold(layerNorm(block.child('norm2'), middle));
  output = hold(towerMlp(block.child('mlp'), feedForward, last(output)));
  output = hold(layerScale(block.child('layer_scale2'), last(output)));
  return add(last(output), middle);
}

const layerScale = (module: Module, x: Tensor): Tensor =>
  module.tape.call(module.place, [x], () => multiply(x, module.parameter('lambda1')));

function attention(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  { dropout: { residual } }: Stack,
  x: Tensor,
): Tensor {
  const { tape } = forward;
  return tape.call(module.place, [], () => {
    const self = module.child('attention');
    const attended = outputOf(
      tape.call(self.place, [], () => projectAndAttend(forward, self, facts, projections, x)),
    );
    const output = module.child('output');
    return tape.call(output.place, [], () => {
      const hidden = hold(linear(output.child('dense'), attended));
      return dropout(last(hidden), residual);
    });
  });
}
