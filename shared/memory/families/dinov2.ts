/**
 * DINOv2 with a classifier: ViT with a scale learned for each branch; the classifier reads the class token and the patches' mean.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/models/dinov2/modeling_dinov2.py
 */
import type { Layer, Mlp, SoftmaxAttention, Stack } from '../../model/architecture';
import { act } from '../operations/activations';
import { add, dropout, multiply } from '../operations/elementwise';
import { concatenate, firstPosition, meanOfPositions, sliceOf } from '../operations/layout';
import { linear } from '../operations/linear';
import { crossEntropy } from '../operations/loss';
import { layerNorm } from '../operations/norms';
import type { Module } from '../tape/module';
import { hold, last } from '../tape/tape';
import type { Tensor } from '../tape/tensor';
import { type FamilyForward, type Forward, runBlock } from './context';
import { outputOf, projectAndAttend, type ProjectionNames } from './parts/encoderAttention';
import { vitEmbeddings } from './vit';

/** The key is projected first, the query last. */
const projections: ProjectionNames = {
  query: 'query',
  key: 'key',
  value: 'value',
  order: ['key', 'value', 'query'],
};

/** `Dinov2ForImageClassification.forward` with labels: the loss. */
export const dinov2Loss: FamilyForward = (forward) => {
  const { tape, root, architecture } = forward;
  const [stack] = architecture.stacks;
  if (stack === undefined) throw new Error('An image model has a stack.');
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
    const encoded = hold(
      tape.call(encoder.place, [], () => {
        let hidden = embedded;
        stack.layers.forEach((layer, index) => {
          const block = encoder.child('layer').child(String(index));
          const input = index === 0 ? hidden : last(hidden);
          hidden = hold(
            runBlock(forward, block, input, [], (x) => dinov2Layer(forward, block, layer, stack, x)),
          );
        });
        return hidden;
      }),
    );
    return layerNorm(model.child('layernorm'), encoded);
  });
}

function dinov2Layer(forward: Forward, block: Module, layer: Layer, stack: Stack, x: Tensor): Tensor {
  const { mixer, feedForward } = layer;
  if (mixer.kind !== 'attention' || feedForward.kind !== 'mlp') throw new Error('Not a DINOv2 layer.');
  const normed = hold(layerNorm(block.child('norm1'), x));
  const attended = hold(attention(forward, block.child('attention'), mixer, stack, normed));
  const scaled = hold(layerScale(block.child('layer_scale1'), last(attended)));
  const middle = hold(add(scaled, x));
  let output = hold(layerNorm(block.child('norm2'), middle));
  output = hold(plainMlp(block.child('mlp'), feedForward, last(output)));
  output = hold(layerScale(block.child('layer_scale2'), last(output)));
  return add(last(output), middle);
}

const layerScale = (module: Module, x: Tensor): Tensor =>
  module.tape.call(module.place, [x], () => multiply(x, module.parameter('lambda1')));

function plainMlp(module: Module, mlp: Mlp, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    let hidden = hold(linear(module.child('fc1'), x));
    hidden = hold(act(mlp.activation, last(hidden)));
    return linear(module.child('fc2'), last(hidden));
  });
}

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
