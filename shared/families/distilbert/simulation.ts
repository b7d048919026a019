/**
 * DistilBERT with a masked-language-model head: BERT without token types, its norms beside the parts that they follow.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/distilbert/modeling_distilbert.py
 */
import { act } from '../../memory/operations/activations';
import { add, dropout } from '../../memory/operations/elementwise';
import { embedding } from '../../memory/operations/embedding';
import { linear } from '../../memory/operations/linear';
import { layerNorm } from '../../memory/operations/norms';
import type { Module } from '../../memory/tape/module';
import { hold, last, release } from '../../memory/tape/tape';
import type { Tensor } from '../../memory/tape/tensor';
import type { Layer, Stack } from '../../model/architecture';
import { runBlocks } from '../common/simulation/blocks';
import { type EncoderAttentionNames, attentionModule, outputOf } from '../common/simulation/encoderAttention';
import { plainLayer } from '../common/simulation/expected';
import { encoderLoss, transformed } from '../common/simulation/maskedHead';
import { bidirectionalMask } from '../common/simulation/masks';
import { type FamilyForward, type Forward, requireInputGradient } from '../forward';

const attentionNames: EncoderAttentionNames = {
  query: 'q_lin',
  key: 'k_lin',
  value: 'v_lin',
  output: 'out_lin',
};

/**
 * `DistilBertForMaskedLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/distilbert/modeling_distilbert.py#L429
 */
export const simulateDistilbert: FamilyForward = encoderLoss(
  (forward, stack) => distilbertModel(forward, forward.root.child('distilbert'), stack),
  (root, activation, hidden) => {
    const logits = hold(
      transformed(root.child('vocab_transform'), root.child('vocab_layer_norm'), activation, hidden),
    );
    return linear(root.child('vocab_projector'), last(logits));
  },
);

function distilbertModel(forward: Forward, model: Module, stack: Stack): Tensor {
  const { tape } = forward;
  return tape.call(model.place, [], () => {
    const embedded = hold(embeddings(forward, model.child('embeddings'), stack));
    requireInputGradient(forward, embedded);
    bidirectionalMask(forward);
    const transformer = model.child('transformer');
    const run = {
      blocks: transformer.child('layer'),
      layers: stack.layers,
      hidden: embedded,
      named: 'first',
    } as const;
    return tape.call(transformer.place, [], () =>
      runBlocks(forward, run, (block, layer, x) => transformerBlock(forward, block, layer, stack, x)),
    );
  });
}

function embeddings(forward: Forward, module: Module, stack: Stack): Tensor {
  const { tape, batch, sequence } = forward;
  return tape.call(module.place, [], () => {
    const words = hold(embedding(module.child('word_embeddings'), [batch, sequence], null));
    const positions = hold(embedding(module.child('position_embeddings'), [1, sequence], null));
    const sum = hold(add(words, positions));
    const normed = hold(layerNorm(module.child('LayerNorm'), last(sum)));
    return dropout(last(normed), stack.dropout.embedding);
  });
}

function transformerBlock(forward: Forward, block: Module, layer: Layer, stack: Stack, x: Tensor): Tensor {
  const { mixer, feedForward } = plainLayer(layer);
  const attended = outputOf(attentionModule(forward, block.child('attention'), mixer, attentionNames, x));
  const normed = hold(layerNorm(block.child('sa_layer_norm'), add(attended, x)));
  release(attended);
  const ffn = block.child('ffn');
  const fed = hold(
    forward.tape.call(ffn.place, [], () => {
      let inner = hold(linear(ffn.child('lin1'), normed));
      inner = hold(act(feedForward.activation, last(inner)));
      inner = hold(linear(ffn.child('lin2'), last(inner)));
      return dropout(last(inner), stack.dropout.residual);
    }),
  );
  return layerNorm(block.child('output_layer_norm'), add(fed, normed));
}
