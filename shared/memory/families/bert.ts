/**
 * BERT with a masked-language-model head: three tables, LayerNorm after each sum, dropout everywhere.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/models/bert/modeling_bert.py
 */
import type { Layer, SoftmaxAttention, Stack } from '../../model/architecture';
import { act } from '../operations/activations';
import { add, dropout } from '../operations/elementwise';
import { embedding, embeddingOfExpanded } from '../operations/embedding';
import { splitHeads } from '../operations/layout';
import { linear } from '../operations/linear';
import { crossEntropy } from '../operations/loss';
import { layerNorm } from '../operations/norms';
import type { Module } from '../tape/module';
import { hold, last } from '../tape/tape';
import { INT64, type Tensor } from '../tape/tensor';
import { type FamilyForward, type Forward, requireInputGradient, runBlock } from './context';
import { attendWithWeights, attentionForm, isWrittenOut } from './parts/attention';
import { bidirectionalMask } from './parts/masks';

/** `BertForMaskedLM.forward` with labels: the loss. */
export const bertLoss: FamilyForward = (forward) => {
  const { tape, root, architecture } = forward;
  const [stack] = architecture.stacks;
  const { head } = architecture;
  if (stack === undefined || head.kind !== 'language-model' || head.transform === null)
    throw new Error('A masked language model has a stack and a head with a transform.');
  const { activation } = head.transform;
  return tape.frame([], () => {
    const hidden = hold(bertModel(forward, root.child('bert'), stack));
    return tape.as('logits', () => {
      const predictions = root.at('cls.predictions');
      const logits = hold(predict(predictions, activation, hidden));
      return crossEntropy(logits, null);
    });
  });
};

/** `BertLMPredictionHead.forward`: dense, activation, norm, then the vocabulary. */
function predict(predictions: Module, activation: string, hidden: Tensor): Tensor {
  const { tape } = predictions;
  return tape.call(predictions.place, [hidden], () => {
    const transform = predictions.child('transform');
    const transformed = tape.call(transform.place, [], () => {
      let x = hold(linear(transform.child('dense'), hidden));
      x = hold(act(activation, last(x)));
      return layerNorm(transform.child('LayerNorm'), last(x));
    });
    return linear(predictions.child('decoder'), transformed);
  });
}

function bertModel(forward: Forward, model: Module, stack: Stack): Tensor {
  const { tape, batch, sequence } = forward;
  return tape.call(model.place, [], () => {
    const embedded = hold(bertEmbeddings(forward, model.child('embeddings'), stack));
    requireInputGradient(forward, embedded);
    bidirectionalMask(tape, batch, sequence);
    const encoder = model.child('encoder');
    return tape.call(encoder.place, [], () => {
      let hidden = embedded;
      stack.layers.forEach((layer, index) => {
        const block = encoder.child('layer').child(String(index));
        const input = index === 0 ? hidden : last(hidden);
        hidden = hold(runBlock(forward, block, input, [], (x) => bertLayer(forward, block, layer, stack, x)));
      });
      return hidden;
    });
  });
}

function bertEmbeddings(forward: Forward, module: Module, stack: Stack): Tensor {
  const { tape, batch, sequence } = forward;
  return tape.call(module.place, [], () => {
    const tokenTypes = hold(tape.create([1, sequence], INT64));
    const words = hold(embedding(module.child('word_embeddings'), [batch, sequence], null));
    const types = hold(
      embeddingOfExpanded(module.child('token_type_embeddings'), [batch, sequence], tokenTypes),
    );
    let sum = hold(add(words, types));
    const positions = hold(embedding(module.child('position_embeddings'), [1, sequence], null));
    sum = hold(add(last(sum), positions));
    const normed = hold(layerNorm(module.child('LayerNorm'), last(sum)));
    return dropout(last(normed), stack.dropout.embedding);
  });
}

function bertLayer(forward: Forward, block: Module, layer: Layer, stack: Stack, x: Tensor): Tensor {
  const { mixer, feedForward } = layer;
  if (mixer.kind !== 'attention' || feedForward.kind !== 'mlp') throw new Error('Not a BERT layer.');
  const { residual } = stack.dropout;
  // Eager attention's weights go up with the output and stay until the layer returns.
  const [attended] = attention(forward, block.child('attention'), mixer, residual, x).map(hold);
  if (attended === undefined) throw new Error('Attention has an output.');
  const intermediate = block.child('intermediate');
  const inner = hold(
    forward.tape.call(intermediate.place, [], () =>
      act(feedForward.activation, linear(intermediate.child('dense'), attended)),
    ),
  );
  return output(block.child('output'), residual, inner, attended);
}

function attention(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  residualDropout: number,
  x: Tensor,
): readonly Tensor[] {
  const { tape } = module;
  return tape.call(module.place, [], () => {
    const [attended, ...weights] = selfAttention(forward, module.child('self'), facts, x).map(hold);
    if (attended === undefined) throw new Error('Attention has an output.');
    return [output(module.child('output'), residualDropout, attended, x), ...weights];
  });
}

function selfAttention(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  x: Tensor,
): readonly Tensor[] {
  const { tape, batch, sequence } = forward;
  const { heads, headDim } = facts;
  return tape.call(module.place, [], () => {
    const form = attentionForm(forward, facts, x.elementBytes, false);
    const headed = (name: string): Tensor =>
      hold(splitHeads(linear(module.child(name), x), [batch, heads, sequence, headDim], isWrittenOut(form)));
    const query = headed('query');
    const key = headed('key');
    const value = headed('value');
    return attendWithWeights(form, facts, query, key, value, null, 'uncast');
  });
}

/** Dense, dropout, and the norm of the sum with what went in (`BertSelfOutput`, `BertOutput`). */
function output(module: Module, residualDropout: number, x: Tensor, input: Tensor): Tensor {
  return module.tape.call(module.place, [], () => {
    let hidden = hold(linear(module.child('dense'), x));
    hidden = hold(dropout(last(hidden), residualDropout));
    return layerNorm(module.child('LayerNorm'), add(hidden, input));
  });
}
