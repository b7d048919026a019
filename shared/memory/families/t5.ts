/**
 * T5: an encoder and a decoder of pre-norm blocks without biases; each stack has a table of relative positions that is added to
 * the attention scores, and trained.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/models/t5/modeling_t5.py
 */
import type { Layer, Mlp, SoftmaxAttention, Stack } from '../../model/architecture';
import { act } from '../operations/activations';
import { add, cast, dropout, multiply, scale } from '../operations/elementwise';
import { embedding, embeddingHeadsFirst } from '../operations/embedding';
import { copy, splitHeads, view } from '../operations/layout';
import { batchedProduct, linear } from '../operations/linear';
import { crossEntropy } from '../operations/loss';
import { scaledRmsNorm } from '../operations/norms';
import { softmax } from '../operations/softmax';
import type { Module } from '../tape/module';
import { hold, last, release } from '../tape/tape';
import { BOOL, elements, FP32, INT64, type Tensor } from '../tape/tensor';
import { type Forward, requireInputGradient, runBlock } from './context';
import { attend, type AttentionForm, attentionForm, isWrittenOut } from './parts/attention';
import { causalMaskWithoutPadding } from './parts/masks';

/** `T5ForConditionalGeneration.forward` with labels: the loss. */
export function t5Loss(forward: Forward): Tensor {
  const { tape, root, batch, sequence } = forward;
  const { head, stacks } = forward.architecture;
  const [encoder, decoder] = stacks;
  if (encoder === undefined || decoder === undefined || head.kind !== 'language-model')
    throw new Error('A T5 that is trained has an encoder, a decoder and a language model head.');
  return tape.frame([], () => {
    const encoded = hold(t5Stack(forward, root.child('encoder'), encoder, null, null));
    const ids = hold(shiftRight(forward));
    const decoded = hold(t5Stack(forward, root.child('decoder'), decoder, ids, encoded));
    return tape.as('logits', () => {
      const scaled = head.scale === null ? decoded : hold(scale(decoded));
      const logits = hold(linear(root.child('lm_head'), scaled));
      return crossEntropy(view(logits, [batch * sequence, head.vocabularySize]), null);
    });
  });
}

/** `_shift_right`: the decoder's ids are the labels moved by one. */
function shiftRight({ tape, batch, sequence }: Forward): Tensor {
  const shifted = tape.create([batch, sequence], INT64);
  tape.scratch(batch * (sequence - 1) * INT64);
  tape.scratch(batch * sequence * BOOL);
  return shifted;
}

/** `T5Stack`; the first block makes the position biases, the others get them from it. */
function t5Stack(
  forward: Forward,
  module: Module,
  stack: Stack,
  ids: Tensor | null,
  encoded: Tensor | null,
): Tensor {
  const { tape, batch, sequence } = forward;
  return tape.call(module.place, [], () => {
    const embedded = hold(embedding(module.child('embed_tokens'), [batch, sequence], ids));
    requireInputGradient(forward, embedded);
    const needsMask = encoded !== null && forward.attention === 'eager';
    const mask = needsMask ? hold(causalMaskWithoutPadding(tape, batch, sequence, forward.modelBytes)) : null;
    let hidden = hold(dropout(embedded, stack.dropout.embedding));
    let biases: readonly (Tensor | null)[] = [null, null];
    stack.layers.forEach((layer, index) => {
      const block = module.child('block').child(String(index));
      const given = [mask, ...biases, encoded];
      const outputs = runBlock(
        forward,
        block,
        index === 0 && hidden === embedded ? hidden : last(hidden),
        given,
        (x, [causal, selfBias, crossBias, memory]) =>
          t5Block(forward, block, layer, stack, {
            x,
            mask: causal ?? null,
            biases: [selfBias ?? null, crossBias ?? null],
            encoded: memory ?? null,
          }),
      );
      const [output, ...made] = outputs.map(hold);
      if (output === undefined) throw new Error('A block has an output.');
      hidden = output;
      biases = [made[0] ?? biases[0] ?? null, made[1] ?? biases[1] ?? null];
    });
    const normed = hold(scaledRmsNorm(module.child('final_layer_norm'), last(hidden)));
    return dropout(last(normed), stack.dropout.embedding);
  });
}

interface BlockInputs {
  readonly x: Tensor;
  readonly mask: Tensor | null;
  /** The position biases of self and cross attention, null where this block is the one to make them. */
  readonly biases: readonly [Tensor | null, Tensor | null];
  readonly encoded: Tensor | null;
}

/** `T5Block`: its output and the biases that its attentions used. */
function t5Block(
  forward: Forward,
  block: Module,
  layer: Layer,
  stack: Stack,
  { x, mask, biases, encoded }: BlockInputs,
): Tensor[] {
  const { mixer, cross, feedForward } = layer;
  if (mixer.kind !== 'attention' || feedForward.kind !== 'mlp') throw new Error('Not a T5 block.');
  const [selfPart, ...laterParts] = block.child('layer').children;
  const lastPart = laterParts.at(-1);
  if (selfPart === undefined || lastPart === undefined) throw new Error('A T5 block has two or three parts.');
  const { residual } = stack.dropout;
  const [selfOutput, selfBias, selfWeights = null] = selfAttentionPart(forward, selfPart, mixer, residual, {
    x,
    mask,
    bias: biases[0],
    encoded: null,
  }).map(hold);
  if (selfOutput === undefined || selfBias === undefined) throw new Error('Attention has an output.');
  let hidden = selfOutput;
  const used = [selfBias];
  const [crossPart] = laterParts;
  if (cross !== null && encoded !== null && crossPart !== undefined) {
    const outputs = crossAttentionPart(forward, crossPart, cross, residual, {
      x: last(hidden),
      mask: null,
      bias: biases[1],
      encoded,
    }).map(hold);
    const [crossOutput, crossBias] = outputs;
    if (crossOutput === undefined || crossBias === undefined) throw new Error('Attention has an output.');
    // Both attentions' weights go by one name.
    if (selfWeights !== null) release(selfWeights);
    hidden = crossOutput;
    used.push(crossBias);
  }
  return [feedForwardPart(lastPart, feedForward, stack, last(hidden)), ...used];
}

interface AttentionInputs {
  readonly x: Tensor;
  readonly mask: Tensor | null;
  /** Null where this attention is the one to make it. */
  readonly bias: Tensor | null;
  /** The encoder's output in cross attention. */
  readonly encoded: Tensor | null;
}

/** `T5LayerSelfAttention`: output, bias and, in eager attention, the weights. */
function selfAttentionPart(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  residualDropout: number,
  inputs: AttentionInputs,
): Tensor[] {
  const { x } = inputs;
  return forward.tape.call(module.place, [x], () => {
    const normed = hold(scaledRmsNorm(module.child('layer_norm'), x));
    const attention = module.child('SelfAttention');
    const [attended, ...others] = t5Attention(forward, attention, facts, { ...inputs, x: normed }).map(hold);
    if (attended === undefined) throw new Error('Attention has an output.');
    const output = hold(add(x, dropout(attended, residualDropout)));
    release(attended);
    return [output, ...others];
  });
}

/** `T5LayerCrossAttention`, which gives its sum a new name. */
function crossAttentionPart(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  residualDropout: number,
  inputs: AttentionInputs,
): Tensor[] {
  const { x } = inputs;
  return forward.tape.call(module.place, [x], () => {
    const normed = hold(scaledRmsNorm(module.child('layer_norm'), x));
    const attention = module.child('EncDecAttention');
    const [attended, ...others] = t5Attention(forward, attention, facts, { ...inputs, x: normed }).map(hold);
    if (attended === undefined) throw new Error('Attention has an output.');
    return [add(x, dropout(attended, residualDropout)), ...others];
  });
}

function feedForwardPart(module: Module, mlp: Mlp, stack: Stack, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    const normed = hold(scaledRmsNorm(module.child('layer_norm'), x));
    const fed = hold(t5Mlp(module.child('DenseReluDense'), mlp, stack.dropout.activation, last(normed)));
    return add(x, dropout(fed, stack.dropout.residual));
  });
}

/** `T5DenseActDense` and `T5DenseGatedActDense`. */
function t5Mlp(module: Module, mlp: Mlp, probability: number, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    let hidden: Tensor;
    if (mlp.gated) {
      const gate = hold(act(mlp.activation, linear(module.child('wi_0'), x)));
      const up = hold(linear(module.child('wi_1'), x));
      hidden = hold(multiply(gate, up));
    } else {
      const inner = hold(linear(module.child('wi'), x));
      hidden = hold(act(mlp.activation, last(inner)));
    }
    hidden = hold(dropout(last(hidden), probability));
    const output = module.child('wo');
    // The last product's input is brought to its weight's type, which autocast then undoes.
    hidden = hold(cast(last(hidden), output.parameter('weight').elementBytes));
    return linear(output, last(hidden));
  });
}

/** `T5Attention`: the output, the position bias it used and, in eager attention, the weights. */
function t5Attention(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  { x, mask, bias, encoded }: AttentionInputs,
): Tensor[] {
  const { tape, batch } = forward;
  const { heads, headDim } = facts;
  return tape.call(module.place, [x], () => {
    const [, queries = 1] = x.shape;
    const source = encoded ?? x;
    const [, keys = 1] = source.shape;
    const hasTable = module.has('relative_attention_bias');
    const form = attentionForm(
      forward,
      facts,
      x.elementBytes,
      true,
      encoded === null ? 'transposed' : forward.checkpointing.kind === 'full' ? 'in-order' : null,
    );
    const headed = (name: string, from: Tensor, length: number): Tensor =>
      hold(splitHeads(linear(module.child(name), from), [batch, heads, length, headDim], isWrittenOut(form)));
    const query = headed('q', x, queries);
    const key = headed('k', source, keys);
    const value = headed('v', source, keys);
    let usedBias = bias;
    if (usedBias === null) {
      usedBias = hasTable
        ? hold(relativeBias(module.child('relative_attention_bias'), heads, queries, keys, facts.causal))
        : hold(tape.create([1, heads, queries, keys], query.elementBytes));
      if (!hasTable && forward.checkpointing.kind === 'full') tape.requireGradient(usedBias);
    }
    const call = { query, key, value, mask, bias: usedBias };
    const [attended, ...weights] =
      form === 'eager' ? eagerAttention(facts, call) : [attendWithBias(form, facts, call)];
    if (attended === undefined) throw new Error('Attention has an output.');
    const output = linear(module.child('o'), view(attended, [batch, queries, heads * headDim]));
    return [output, usedBias, ...weights.map(hold)];
  });
}

interface BiasedCall {
  readonly query: Tensor;
  readonly key: Tensor;
  readonly value: Tensor;
  readonly mask: Tensor | null;
  readonly bias: Tensor;
}

/** sdpa: the position bias is the mask; causality is written into it. */
function attendWithBias(
  form: Exclude<AttentionForm, 'eager'>,
  facts: SoftmaxAttention,
  { query, key, value, bias }: BiasedCall,
): Tensor {
  const { tape } = query;
  return tape.frame([], () => {
    const mask = facts.causal ? hold(causalBias(bias)) : bias;
    return attend(form, facts, query, key, value, mask);
  });
}

/** `create_position_bias_mask`: `torch.where(causal, bias, minimum)`, which keeps the comparison. */
function causalBias(bias: Tensor): Tensor {
  const { tape, elementBytes, shape } = bias;
  const [, , queries = 1, keys = 1] = shape;
  return tape.frame([], () => {
    const from = tape.create([queries], INT64);
    const to = tape.create([keys], INT64);
    const causal = hold(tape.create([queries, keys], BOOL));
    for (const used of [from, to]) release(used);
    const minimum = tape.create([1], elementBytes);
    const masked = tape.apply([bias], [causal], shape, elementBytes, (gradient) => {
      const zero = tape.create([1], gradient.elementBytes);
      const result = tape.create(shape, gradient.elementBytes);
      tape.release(zero);
      return [result];
    });
    release(minimum);
    return masked;
  });
}

/** `eager_attention_forward` of T5: scores without a scale of their own, bias and mask added one after the other. */
function eagerAttention(facts: SoftmaxAttention, { query, key, value, mask, bias }: BiasedCall): Tensor[] {
  const { tape, shape } = query;
  const [batch = 1, heads = 1, queries = 1] = shape;
  const keys = key.shape[2] ?? 1;
  return tape.frame([], () => {
    const scores = batchedProduct(query, key, [batch, heads, queries, keys], {
      left: query.positionsFirst,
      right: key.positionsFirst ? 'copy' : 'as-is',
    });
    let weights = hold(scale(scores));
    weights = hold(add(last(weights), bias));
    if (mask !== null) weights = hold(add(last(weights), mask));
    const probabilities = hold(softmax(weights));
    release(weights);
    weights = probabilities;
    weights = hold(dropout(last(weights), facts.dropout));
    const output = batchedProduct(weights, value, shape, {
      left: false,
      right: value.positionsFirst ? 'copy' : 'as-is',
    });
    return [copy(output), weights];
  });
}

/** `compute_bias`: distances of all pairs, their buckets, and the table's rows for them, heads in front. */
function relativeBias(
  table: Module,
  heads: number,
  queries: number,
  keys: number,
  isCausal: boolean,
): Tensor {
  const { tape } = table;
  return tape.frame([], () => {
    const range = tape.create([queries], INT64);
    hold(tape.create([queries], INT64));
    release(range);
    hold(tape.create([keys], INT64));
    const distances = hold(tape.create([queries, keys], INT64));
    const buckets = hold(relativeBuckets(distances, isCausal));
    return embeddingHeadsFirst(table, buckets, [1, heads, queries, keys]);
  });
}

/** `_relative_position_bucket`: half of the buckets for exact distances, half for logarithms of larger ones. */
function relativeBuckets(distances: Tensor, isCausal: boolean): Tensor {
  const { tape, shape } = distances;
  const pairs = elements(shape);
  /** A chain of operations, each of which takes the one before. */
  const chain = (bytes: readonly number[]): Tensor =>
    bytes.reduce<Tensor | null>((before, size) => {
      const next = tape.create([pairs], size);
      if (before !== null) release(before);
      return next;
    }, null) ?? distances;
  return tape.frame([], () => {
    // Causal: the negative of the smaller of distance and zero. Otherwise the sign chooses one half of the buckets.
    const ofSign = isCausal ? null : hold(chain([BOOL, INT64, INT64, INT64]));
    hold(isCausal ? chain([INT64, INT64, INT64]) : tape.create([pairs], INT64));
    hold(tape.create([pairs], BOOL));
    const logarithm = chain([FP32, FP32, FP32, FP32, FP32, INT64, INT64]);
    const most = tape.create([pairs], INT64);
    hold(tape.create([pairs], INT64));
    release(most);
    release(logarithm);
    const chosen = tape.create([pairs], INT64);
    if (ofSign !== null) {
      release(chosen);
      return ofSign;
    }
    const sum = tape.create([pairs], INT64);
    release(chosen);
    return sum;
  });
}
