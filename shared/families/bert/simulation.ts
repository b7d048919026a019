/**
 * BERT with a masked-language-model head: three tables, LayerNorm after each sum, dropout everywhere.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bert/modeling_bert.py
 */
import { act } from '../../memory/operations/activations';
import { add, dropout } from '../../memory/operations/elementwise';
import { embedding, embeddingOfExpanded } from '../../memory/operations/embedding';
import { linear } from '../../memory/operations/linear';
import { layerNorm } from '../../memory/operations/norms';
import type { Module } from '../../memory/tape/module';
import { hold, holdAll, last } from '../../memory/tape/tape';
import { INT64, type Shape, type Tensor } from '../../memory/tape/tensor';
import type { Layer, Mlp, SoftmaxAttention, Stack } from '../../model/architecture';
import type { AttentionOutputs } from '../common/simulation/attention';
import { runBlocks } from '../common/simulation/blocks';
import { bertProjections, outputOf, projectAndAttend } from '../common/simulation/encoderAttention';
import { plainLayer } from '../common/simulation/expected';
import { encoderLoss, transformed } from '../common/simulation/maskedHead';
import { bidirectionalMask } from '../common/simulation/masks';
import { type FamilyForward, type Forward, requireInputGradient } from '../forward';

/**
 * `BertForMaskedLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bert/modeling_bert.py#L909
 */
export const simulateBert: FamilyForward = encoderLoss(
  (forward, stack) => bertModel(forward, forward.root.child('bert'), stack, bertEmbeddings),
  (root, activation, hidden) => predict(root.at('cls.predictions'), activation, hidden),
);

/**
 * `BertLMPredictionHead.forward` over hidden states [batch, positions, width]: dense, activation, norm, then logits [batch, positions,
 * vocabulary]. Backward keeps the input of each.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bert/modeling_bert.py#L483
 */
export function predict(predictions: Module, activation: string, hidden: Tensor): Tensor {
  const { tape } = predictions;
  return tape.call(predictions.place, [hidden], () => {
    const transform = predictions.child('transform');
    const x = tape.call(transform.place, [], () =>
      transformed(transform.child('dense'), transform.child('LayerNorm'), activation, hidden),
    );
    return linear(predictions.child('decoder'), x);
  });
}

/** How the tables' rows become the first layer's input. */
export type Embeddings = (forward: Forward, module: Module, stack: Stack) => Tensor;

/**
 * `BertModel` without a pooler: [batch, positions, width]. ELECTRA's narrower tables are projected.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bert/modeling_bert.py#L623
 */
export function bertModel(forward: Forward, model: Module, stack: Stack, embeddings: Embeddings): Tensor {
  const { tape } = forward;
  return tape.call(model.place, [], () => {
    let embedded = hold(embeddings(forward, model.child('embeddings'), stack));
    if (model.has('embeddings_project'))
      embedded = hold(linear(model.child('embeddings_project'), last(embedded)));
    requireInputGradient(forward, embedded);
    bidirectionalMask(forward);
    const encoder = model.child('encoder');
    const run = {
      blocks: encoder.child('layer'),
      layers: stack.layers,
      hidden: embedded,
      named: 'first',
    } as const;
    return tape.call(encoder.place, [], () =>
      runBlocks(forward, run, (block, layer, x) => bertLayer(forward, block, layer, stack, x)),
    );
  });
}

/**
 * Words, types and positions: [batch, positions, width]. The types' indices are one row that every sample shares.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bert/modeling_bert.py#L53
 */
export function bertEmbeddings(forward: Forward, module: Module, stack: Stack): Tensor {
  const { tape, batch, sequence } = forward;
  return tape.call(module.place, [], () => {
    const tokenTypes = hold(tape.create([1, sequence], INT64));
    const words = hold(embedding(module.child('word_embeddings'), [batch, sequence], null));
    const types = hold(
      embeddingOfExpanded(module.child('token_type_embeddings'), [batch, sequence], tokenTypes),
    );
    return sumOfTables(module, words, types, [1, sequence], null, stack.dropout.embedding);
  });
}

/**
 * The sum of both and of the positions' rows, its norm and dropout: [batch, positions, width]. `positions` null: a part of the model's own
 * indices. Backward keeps the norm's input and the mask of what is dropped.
 */
export function sumOfTables(
  module: Module,
  words: Tensor,
  types: Tensor,
  indexShape: Shape,
  positions: Tensor | null,
  probability: number,
): Tensor {
  let sum = hold(add(words, types));
  const rows = hold(embedding(module.child('position_embeddings'), indexShape, positions));
  sum = hold(add(last(sum), rows));
  const normed = hold(layerNorm(module.child('LayerNorm'), last(sum)));
  return dropout(last(normed), probability);
}

function bertLayer(forward: Forward, block: Module, layer: Layer, stack: Stack, x: Tensor): Tensor {
  const { mixer, feedForward } = plainLayer(layer);
  const { residual } = stack.dropout;
  // Eager attention's weights go up with the output and stay until the layer returns.
  const attended = outputOf(attention(forward, block.child('attention'), mixer, residual, x));
  return bertMlp(block, feedForward, residual, attended);
}

/**
 * `BertIntermediate` and `BertOutput` of a block over x [batch, positions, width]. Backward keeps x and the wider state before and after
 * its activation.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bert/modeling_bert.py#L325
 */
export function bertMlp(
  block: Module,
  { activation }: Mlp,
  residualDropout: number,
  x: Tensor,
  norm: (module: Module, x: Tensor) => Tensor = layerNorm,
): Tensor {
  const intermediate = block.child('intermediate');
  const inner = hold(
    block.tape.call(intermediate.place, [], () => act(activation, linear(intermediate.child('dense'), x))),
  );
  return denseAndNorm(block.child('output'), residualDropout, inner, x, norm);
}

function attention(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  residualDropout: number,
  x: Tensor,
): AttentionOutputs {
  const { tape } = module;
  const self = module.child('self');
  return tape.call(module.place, [], (): AttentionOutputs => {
    const made = tape.call(self.place, [], () => projectAndAttend(forward, self, facts, bertProjections, x));
    const [attended, ...weights] = holdAll(made);
    return [denseAndNorm(module.child('output'), residualDropout, attended, x), ...weights];
  });
}

/**
 * Dense, dropout, and the norm of the sum with what went in (`BertSelfOutput`, `BertOutput`): [batch, positions, width]. Backward keeps x,
 * what is dropped, and the sum.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bert/modeling_bert.py#L282
 */
export function denseAndNorm(
  module: Module,
  residualDropout: number,
  x: Tensor,
  input: Tensor,
  norm: (module: Module, x: Tensor) => Tensor = layerNorm,
): Tensor {
  return module.tape.call(module.place, [], () => {
    let hidden = hold(linear(module.child('dense'), x));
    hidden = hold(dropout(last(hidden), residualDropout));
    return norm(module.child('LayerNorm'), add(hidden, input));
  });
}
