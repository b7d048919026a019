/**
 * ALBERT with a masked-language-model head: BERT with narrow tables and weights that all layers, or groups of layers, share.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/albert/modeling_albert.py
 */
import { act } from '../../memory/operations/activations';
import { add, dropout } from '../../memory/operations/elementwise';
import { linear } from '../../memory/operations/linear';
import { layerNorm } from '../../memory/operations/norms';
import { MissingPart, type Module } from '../../memory/tape/module';
import { hold, holdAll, last, release } from '../../memory/tape/tape';
import type { Tensor } from '../../memory/tape/tensor';
import type { Layer, SoftmaxAttention, Stack } from '../../model/architecture';
import { bertEmbeddings } from '../bert/simulation';
import type { AttentionOutputs } from '../common/simulation/attention';
import { bertProjections, outputOf, projectAndAttend } from '../common/simulation/encoderAttention';
import { plainLayer } from '../common/simulation/expected';
import { encoderLoss, headModule } from '../common/simulation/maskedHead';
import { bidirectionalMask } from '../common/simulation/masks';
import { type FamilyForward, type Forward, requireInputGradient, runBlock } from '../forward';

/**
 * `AlbertForMaskedLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/albert/modeling_albert.py#L547
 */
export const simulateAlbert: FamilyForward = encoderLoss(
  (forward, stack) => albertModel(forward, forward.root.child('albert'), stack),
  (root, activation, hidden) => headModule(root.child('predictions'), 'LayerNorm', activation, hidden),
);

function albertModel(forward: Forward, model: Module, stack: Stack): Tensor {
  const { tape } = forward;
  return tape.call(model.place, [], () => {
    const embedded = hold(bertEmbeddings(forward, model.child('embeddings'), stack));
    requireInputGradient(forward, embedded);
    bidirectionalMask(forward);
    const encoder = model.child('encoder');
    return tape.call(encoder.place, [], () => {
      let hidden = hold(linear(encoder.child('embedding_hidden_mapping_in'), embedded));
      const groups = encoder.child('albert_layer_groups').children;
      stack.layers.forEach((layer, index) => {
        const group = groups[Math.floor((index / stack.layers.length) * groups.length)];
        if (group === undefined) throw new MissingPart('The model has no groups of layers.');
        hidden = hold(layerGroup(forward, group, layer, stack, last(hidden)));
      });
      return hidden;
    });
  });
}

/** `AlbertLayerGroup`: the blocks that are repeated together. */
function layerGroup(forward: Forward, group: Module, layer: Layer, stack: Stack, x: Tensor): Tensor {
  return forward.tape.call(group.place, [x], () => {
    let hidden = x;
    for (const block of group.child('albert_layers').children)
      hidden = hold(
        runBlock(forward, block, hidden === x ? x : last(hidden), [], (input) =>
          albertLayer(forward, block, layer, stack, input),
        ),
      );
    return hidden;
  });
}

function albertLayer(forward: Forward, block: Module, layer: Layer, stack: Stack, x: Tensor): Tensor {
  const { mixer, feedForward } = plainLayer(layer);
  const attended = outputOf(attention(forward, block.child('attention'), mixer, stack.dropout.residual, x));
  const fed = hold(
    forward.tape.frame([], () => {
      let inner = hold(linear(block.child('ffn'), attended));
      inner = hold(act(feedForward.activation, last(inner)));
      return linear(block.child('ffn_output'), last(inner));
    }),
  );
  return layerNorm(block.child('full_layer_layer_norm'), add(fed, attended));
}

function attention(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  residualDropout: number,
  x: Tensor,
): AttentionOutputs {
  return forward.tape.call(module.place, [], (): AttentionOutputs => {
    const [joined, ...weights] = holdAll(projectAndAttend(forward, module, facts, bertProjections, x));
    let attended = hold(linear(module.child('dense'), last(joined)));
    attended = hold(dropout(last(attended), residualDropout));
    const normed = layerNorm(module.child('LayerNorm'), add(x, attended));
    release(attended);
    return [normed, ...weights];
  });
}
