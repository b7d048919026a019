/**
 * BLOOM: a norm after the token table, ALiBi inside the product of query and key, a GELU with a backward of its own.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bloom/modeling_bloom.py
 */
import { bloomGelu } from '../../memory/operations/activations';
import { add, cast, dropout } from '../../memory/operations/elementwise';
import { copy, copyForward, sliceOf, view } from '../../memory/operations/layout';
import { batchedProduct, linear, scaledProductOnto } from '../../memory/operations/linear';
import { normalize } from '../../memory/operations/norms';
import { softmax } from '../../memory/operations/softmax';
import type { Module } from '../../memory/tape/module';
import { hold, holdAll, last, release } from '../../memory/tape/tape';
import { FP32, type Tensor } from '../../memory/tape/tensor';
import type { SoftmaxAttention } from '../../model/architecture';
import { alibiOfTokens } from '../common/simulation/alibi';
import { headsOf, plainLayer } from '../common/simulation/expected';
import { type GptBlockContext, gptDecoderLoss } from '../common/simulation/gptDecoder';
import { heldMask } from '../common/simulation/positions';

/**
 * `BloomForCausalLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bloom/modeling_bloom.py#L560
 */
export const simulateBloom = gptDecoderLoss({
  names: { embedding: 'word_embeddings', layers: 'h', norm: 'ln_f' },
  prepare: (forward, model, stack, tokens) => {
    const { inputs } = stack;
    const norm = inputs.kind === 'tokens' ? inputs.norm : null;
    const hidden =
      norm === null ? tokens : hold(normalize(model.child('word_embeddings_layernorm'), tokens, norm));
    const alibi = hold(alibiOfTokens(forward, headsOf(stack), FP32, hidden.elementBytes));
    return { hidden, shared: [alibi, heldMask(forward, true)] };
  },
  block: bloomBlock,
});

function bloomBlock(context: GptBlockContext, x: Tensor): readonly Tensor[] {
  const { block, layer, stack } = context;
  const { mixer } = plainLayer(layer);
  const { norm } = layer;
  const { residual } = stack.dropout;
  const normed = hold(normalize(block.child('input_layernorm'), x, norm));
  const [attended, weights] = holdAll(bloomAttention(context, mixer, normed, x));
  const normedMiddle = hold(normalize(block.child('post_attention_layernorm'), attended, norm));
  release(normed);
  return [bloomMlp(block.child('mlp'), residual, normedMiddle, attended), weights];
}

function bloomMlp(module: Module, residualDropout: number, x: Tensor, input: Tensor): Tensor {
  return module.tape.call(module.place, [x, input], () => {
    const inner = hold(bloomGelu(linear(module.child('dense_h_to_4h'), x)));
    const output = hold(linear(module.child('dense_4h_to_h'), inner));
    return add(input, dropout(output, residualDropout));
  });
}

function bloomAttention(
  { block, shared, stack }: GptBlockContext,
  attention: SoftmaxAttention,
  x: Tensor,
  input: Tensor,
): [Tensor, Tensor] {
  const module = block.child('self_attention');
  const { heads, headDim } = attention;
  const [batch = 1, sequence = 1] = x.shape;
  const [alibi = null, mask = null] = shared;
  const pairs = [batch, heads, sequence, sequence];
  return module.tape.call(module.place, [x, input], () => {
    const joined = hold(linear(module.child('query_key_value'), x));
    const all = hold(view(joined, [batch, sequence, heads, 3, headDim]));
    const pick = (): Tensor => hold(sliceOf(all, [batch, heads, sequence, headDim]));
    const parts = [pick(), pick(), pick()] as const;
    // Heads of one sample are laid out for a batch of products as they are.
    const joinsBatch = batch > 1;
    const laidOut = (part: Tensor): Tensor => (joinsBatch ? hold(copyForward(last(part))) : part);
    const [query, key, value] = [laidOut(parts[0]), laidOut(parts[1]), laidOut(parts[2])];
    if (alibi === null) throw new Error('The blocks share ALiBi.');
    const scores = hold(scaledProductOnto(alibi, query, key, pairs));
    const masked = mask === null ? scores : hold(add(scores, mask));
    const probabilities = hold(cast(softmax(masked, 'fp32'), query.elementBytes));
    const weights = hold(dropout(last(probabilities), attention.dropout));
    const context = batchedProduct(weights, value, [batch, heads, sequence, headDim], {
      left: false,
      right: 'as-is',
    });
    const mergedShape = [batch, sequence, heads * headDim];
    const merged = hold(joinsBatch ? copy(context, mergedShape) : copyForward(context, mergedShape));
    const output = hold(linear(module.child('dense'), merged));
    return [add(input, dropout(output, stack.dropout.residual)), weights];
  });
}
