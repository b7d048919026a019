/**
 * GPT-2: learned positions, LayerNorm before each branch, one product for query, key and value, and the tanh GELU that
 * transformers writes in Python.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt2/modeling_gpt2.py
 */
import { act } from '../../memory/operations/activations';
import { add, dropout } from '../../memory/operations/elementwise';
import { embedding } from '../../memory/operations/embedding';
import { split, splitHeads } from '../../memory/operations/layout';
import { conv1d } from '../../memory/operations/linear';
import { normalize } from '../../memory/operations/norms';
import type { Module } from '../../memory/tape/module';
import { hold, last, release } from '../../memory/tape/tape';
import type { Tensor } from '../../memory/tape/tensor';
import type { Layer, Mlp, SoftmaxAttention, Stack } from '../../model/architecture';
import { attend, attentionForm, isWrittenOut } from '../common/simulation/attention';
import { runBlocks } from '../common/simulation/blocks';
import { headLoss } from '../common/simulation/causalDecoder';
import { decoderStack, plainLayer } from '../common/simulation/expected';
import { heldMask, positionIds } from '../common/simulation/positions';
import { type Forward, requireInputGradient } from '../forward';

/**
 * `GPT2LMHeadModel.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt2/modeling_gpt2.py#L636
 */
export function simulateGpt2(forward: Forward): Tensor {
  const { tape, root } = forward;
  const stack = decoderStack(forward.architecture);
  return tape.frame([], () => {
    const hidden = hold(gpt2Model(forward, root.at(stack.path), stack));
    return headLoss(forward, 'lm_head', hidden);
  });
}

function gpt2Model(forward: Forward, model: Module, stack: Stack): Tensor {
  const { tape, batch, sequence } = forward;
  return tape.call(model.place, [], () => {
    const tokens = hold(embedding(model.child('wte'), [batch, sequence], null));
    requireInputGradient(forward, tokens);
    const ids = positionIds(forward);
    const positions = hold(embedding(model.child('wpe'), [1, sequence], ids));
    const sum = hold(add(tokens, positions));
    const mask = heldMask(forward, forward.attention === 'eager');
    const embedded = hold(dropout(last(sum), stack.dropout.embedding));
    const { layers } = stack;
    const run = {
      blocks: model.child('h'),
      layers,
      hidden: embedded,
      named: 'none',
      shared: [mask, ids],
    } as const;
    const hidden = runBlocks(forward, run, (block, layer, x, [causal = null]) =>
      gpt2Block(forward, block, layer, stack, x, causal),
    );
    return stack.finalNorm === null ? hidden : normalize(model.child('ln_f'), last(hidden), stack.finalNorm);
  });
}

function gpt2Block(
  forward: Forward,
  block: Module,
  layer: Layer,
  stack: Stack,
  x: Tensor,
  mask: Tensor | null,
): Tensor {
  const { mixer, feedForward } = plainLayer(layer);
  const { norm } = layer;
  const { residual } = stack.dropout;
  const normed = hold(normalize(block.child('ln_1'), x, norm));
  const attended = hold(gpt2Attention(forward, block.child('attn'), mixer, residual, normed, mask));
  const middle = hold(add(attended, x));
  release(normed);
  const normedMiddle = hold(normalize(block.child('ln_2'), middle, norm));
  const fed = hold(gpt2Mlp(block.child('mlp'), feedForward, residual, normedMiddle));
  return add(middle, fed);
}

function gpt2Attention(
  forward: Forward,
  module: Module,
  attention: SoftmaxAttention,
  residualDropout: number,
  x: Tensor,
  mask: Tensor | null,
): Tensor {
  const { tape, batch, sequence } = forward;
  const { heads, headDim } = attention;
  return tape.call(module.place, [x], () => {
    const joined = conv1d(module.child('c_attn'), x);
    const width = heads * headDim;
    const form = attentionForm(forward, attention, joined.elementBytes, mask !== null);
    const shape = [batch, heads, sequence, headDim];
    const [flatQuery, flatKey, flatValue] = split(joined, [width, width, width]);
    // Plain products give the query's and value's gradient with heads in front; the key's is transposed once more.
    const query = hold(splitHeads(flatQuery, shape, isWrittenOut(form)));
    const key = hold(splitHeads(flatKey, shape, false));
    const value = hold(splitHeads(flatValue, shape, isWrittenOut(form)));
    const attended = attend(form, attention, { query, key, value, mask }, 'own');
    return dropout(conv1d(module.child('c_proj'), attended), residualDropout);
  });
}

function gpt2Mlp(module: Module, mlp: Mlp, residualDropout: number, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    const inner = act(mlp.activation, conv1d(module.child('c_fc'), x));
    return dropout(conv1d(module.child('c_proj'), inner), residualDropout);
  });
}
