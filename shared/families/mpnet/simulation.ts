/**
 * MPNet with a masked-language-model head: BERT's layers with attention written out, whose scores get a trained table of relative
 * positions that all layers share.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/mpnet/modeling_mpnet.py
 */
import { add, addInPlace, dropout, scale } from '../../memory/operations/elementwise';
import { embedding, embeddingHeadsFirst } from '../../memory/operations/embedding';
import { copy, splitHeads, view } from '../../memory/operations/layout';
import { batchedProduct, linear } from '../../memory/operations/linear';
import { layerNorm } from '../../memory/operations/norms';
import { softmax } from '../../memory/operations/softmax';
import type { Module } from '../../memory/tape/module';
import { hold, last } from '../../memory/tape/tape';
import { INT64, type Tensor } from '../../memory/tape/tensor';
import type { Layer, SoftmaxAttention, Stack } from '../../model/architecture';
import { bertMlp } from '../bert/simulation';
import { layoutForProduct } from '../common/simulation/attention';
import { runBlocks } from '../common/simulation/blocks';
import { dimension, plainLayer } from '../common/simulation/expected';
import { encoderLoss, headModule } from '../common/simulation/maskedHead';
import { bidirectionalMask } from '../common/simulation/masks';
import { type FamilyForward, type Forward, requireInputGradient } from '../forward';
import { paddedPositions } from '../roberta/simulation';

/**
 * `MPNetForMaskedLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/mpnet/modeling_mpnet.py#L442
 */
export const simulateMpnet: FamilyForward = encoderLoss(
  (forward, stack) => mpnetModel(forward, forward.root.child('mpnet'), stack),
  (root, _activation, hidden) => headModule(root.child('lm_head'), 'layer_norm', 'gelu', hidden),
);

function mpnetModel(forward: Forward, model: Module, stack: Stack): Tensor {
  const { tape } = forward;
  return tape.call(model.place, [], () => {
    const embedded = hold(embeddings(forward, model.child('embeddings'), stack));
    requireInputGradient(forward, embedded);
    bidirectionalMask(forward);
    const encoder = model.child('encoder');
    return tape.call(encoder.place, [], () => {
      const bias = hold(positionBias(forward, encoder.child('relative_attention_bias')));
      const blocks = encoder.child('layer');
      const run = { blocks, layers: stack.layers, hidden: embedded, named: 'first', shared: [bias] } as const;
      return runBlocks(forward, run, (block, layer, x, [given]) =>
        mpnetLayer(forward, block, layer, stack, x, given ?? bias),
      );
    });
  });
}

function embeddings(forward: Forward, module: Module, stack: Stack): Tensor {
  const { tape, batch, sequence } = forward;
  const shape = [batch, sequence];
  return tape.call(module.place, [], () => {
    const positions = hold(paddedPositions(forward, PLAIN_COUNT));
    const words = hold(embedding(module.child('word_embeddings'), shape, null));
    const rows = hold(embedding(module.child('position_embeddings'), shape, positions));
    const sum = hold(add(words, rows));
    const normed = hold(layerNorm(module.child('LayerNorm'), last(sum)));
    return dropout(last(normed), stack.dropout.embedding);
  });
}

/** MPNet has no earlier tokens to add. */
const PLAIN_COUNT = ['times the mask'] as const;

/** `compute_position_bias`: buckets from the host, their rows, and a copy of them for each sample with heads in front. */
function positionBias({ tape, batch, sequence }: Forward, table: Module): Tensor {
  return tape.frame([], () => {
    const buckets = hold(tape.create([sequence, sequence], INT64));
    const heads = dimension(table.parameter('weight'), 1);
    const rows = hold(embeddingHeadsFirst(table, buckets, [1, heads, sequence, sequence]));
    return copy(last(rows), [batch, heads, sequence, sequence]);
  });
}

function mpnetLayer(
  forward: Forward,
  block: Module,
  layer: Layer,
  stack: Stack,
  x: Tensor,
  bias: Tensor,
): Tensor {
  const { mixer, feedForward } = plainLayer(layer);
  const { tape } = forward;
  const { residual } = stack.dropout;
  const attention = block.child('attention');
  const attended = hold(
    tape.call(attention.place, [], () => {
      const output = hold(selfAttention(forward, attention.child('attn'), mixer, x, bias));
      return layerNorm(attention.child('LayerNorm'), add(dropout(output, residual), x));
    }),
  );
  return bertMlp(block, feedForward, residual, attended);
}

function selfAttention(
  { tape }: Forward,
  module: Module,
  { heads, headDim, dropout: probability }: SoftmaxAttention,
  x: Tensor,
  bias: Tensor,
): Tensor {
  const [batch = 1, sequence = 1] = x.shape;
  const shape = [batch, heads, sequence, headDim];
  return tape.call(module.place, [], () => {
    const headed = (name: string): Tensor => hold(splitHeads(linear(module.child(name), x), shape, true));
    const query = headed('q');
    const key = headed('k');
    const value = headed('v');
    const products = batchedProduct(query, key, [batch, heads, sequence, sequence], {
      left: query.positionsFirst,
      right: layoutForProduct(key, heads),
    });
    const scores = hold(addInPlace(scale(products), bias));
    let weights = hold(softmax(scores));
    weights = hold(dropout(last(weights), probability));
    const joined = hold(
      copy(batchedProduct(weights, value, shape, { left: false, right: layoutForProduct(value, heads) })),
    );
    return linear(module.child('o'), view(joined, [batch, sequence, heads * headDim]));
  });
}
