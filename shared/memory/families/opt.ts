/**
 * OPT: learned positions counted from the padding mask, LayerNorm before (350M: after) each branch, ReLU.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/models/opt/modeling_opt.py
 */
import type { SoftmaxAttention, Stack } from '../../model/architecture';
import { act } from '../operations/activations';
import { add, dropout, scale } from '../operations/elementwise';
import { embedding } from '../operations/embedding';
import { reshape, splitHeads, viewWithGradientCopy } from '../operations/layout';
import { linear } from '../operations/linear';
import { normalize } from '../operations/norms';
import type { Module } from '../tape/module';
import { hold, last, release } from '../tape/tape';
import { INT64, type Tensor } from '../tape/tensor';
import { type FamilyForward, type Forward, requireInputGradient, runBlock } from './context';
import { attend, attentionForm, isWrittenOut } from './parts/attention';
import { baseModule, decoderStack, headLoss } from './parts/causalDecoder';
import { causalMask } from './parts/masks';

/** `OPTForCausalLM.forward` with labels: the loss. */
export const optLoss: FamilyForward = (forward) => {
  const { tape, root } = forward;
  return tape.frame([], () => {
    const hidden = hold(
      optDecoder(forward, baseModule(root, 'model').child('decoder'), decoderStack(forward)),
    );
    return headLoss(forward, 'lm_head', hidden);
  });
};

function optDecoder(forward: Forward, decoder: Module, stack: Stack): Tensor {
  const { tape, batch, sequence } = forward;
  return tape.call(decoder.place, [], () => {
    let tokens = hold(embedding(decoder.child('embed_tokens'), [batch, sequence], null));
    requireInputGradient(forward, tokens);
    if (decoder.has('project_in')) tokens = hold(linear(decoder.child('project_in'), last(tokens)));
    const positionIds = hold(countedPositions(forward));
    const mask = causalMask(tape, batch, sequence, forward.modelBytes, forward.attention === 'eager');
    if (mask !== null) hold(mask);
    const positions = hold(positionEmbedding(decoder.child('embed_positions'), batch, sequence));
    let hidden = hold(add(tokens, positions));
    stack.layers.forEach((layer, index) => {
      const block = decoder.child('layers').child(String(index));
      hidden = hold(
        runBlock(forward, block, last(hidden), [mask, positionIds], (x, [causal]) => {
          if (layer.mixer.kind !== 'attention' || layer.feedForward.kind !== 'mlp')
            throw new Error('Not an OPT block.');
          const middle = hold(attentionBranch(forward, block, layer.mixer, stack, x, causal ?? null));
          return feedForwardBranch(block, layer.feedForward.activation, stack, layer.placement, middle);
        }),
      );
    });
    if (stack.finalNorm !== null)
      hidden = hold(normalize(decoder.child('final_layer_norm'), last(hidden), stack.finalNorm));
    return decoder.has('project_out') ? linear(decoder.child('project_out'), last(hidden)) : hidden;
  });
}

/** Positions as the running sum of the padding mask, masked and shifted by one. */
function countedPositions({ tape, batch, sequence }: Forward): Tensor {
  return tape.frame([], () => {
    hold(tape.create([batch, sequence], INT64));
    hold(tape.create([batch, sequence], INT64));
    return tape.create([batch, sequence], INT64);
  });
}

/** The table's rows begin with an offset, which is added to the positions first. */
function positionEmbedding(module: Module, batch: number, sequence: number): Tensor {
  const { tape } = module;
  return tape.call(module.place, [], () =>
    embedding(module, [batch, sequence], hold(tape.create([batch, sequence], INT64))),
  );
}

function attentionBranch(
  forward: Forward,
  block: Module,
  attention: SoftmaxAttention,
  stack: Stack,
  x: Tensor,
  mask: Tensor | null,
): Tensor {
  const [layer] = stack.layers;
  const norm = layer?.norm ?? null;
  if (norm === null) throw new Error('OPT has norms.');
  const module = block.child('self_attn_layer_norm');
  const before = layer?.placement === 'pre';
  return forward.tape.frame([x], () => {
    const normed = before ? hold(normalize(module, x, norm)) : x;
    const attended = hold(optAttention(forward, block.child('self_attn'), attention, normed, mask));
    if (before) release(normed);
    const sum = add(x, dropout(last(attended), stack.dropout.residual));
    return before ? sum : normalize(module, sum, norm);
  });
}

function optAttention(
  forward: Forward,
  module: Module,
  attention: SoftmaxAttention,
  x: Tensor,
  mask: Tensor | null,
): Tensor {
  const { tape, batch, sequence } = forward;
  const { heads, headDim } = attention;
  return tape.call(module.place, [x], () => {
    const form = attentionForm(forward, attention, x.elementBytes, mask !== null);
    const plain = isWrittenOut(form);
    const shape = [batch, heads, sequence, headDim];
    const query = hold(splitHeads(scale(linear(module.child('q_proj'), x)), shape, plain));
    const projectedKey = linear(module.child('k_proj'), x);
    // The key's gradient comes transposed once more and is copied by its projection, not by the view.
    const key = plain ? viewWithGradientCopy(projectedKey, projectedKey.shape) : projectedKey;
    const value = linear(module.child('v_proj'), x);
    const headedKey = hold(splitHeads(key, shape, false));
    const headedValue = hold(splitHeads(value, shape, plain));
    const output = attend(form, attention, query, headedKey, headedValue, mask);
    return linear(module.child('out_proj'), output);
  });
}

function feedForwardBranch(
  block: Module,
  activation: string,
  stack: Stack,
  placement: string,
  x: Tensor,
): Tensor {
  const { tape } = block;
  const [batch = 1, sequence = 1, hiddenSize = 1] = x.shape;
  const norm = stack.layers[0]?.norm;
  if (norm === undefined) throw new Error('OPT has norms.');
  const module = block.child('final_layer_norm');
  const before = placement === 'pre';
  return tape.frame([], () => {
    const rows = hold(reshape(x, [batch * sequence, hiddenSize]));
    const normed = before ? hold(normalize(module, rows, norm)) : rows;
    let inner = hold(linear(block.child('fc1'), before ? last(normed) : normed));
    inner = hold(act(activation, last(inner)));
    const fed = hold(linear(block.child('fc2'), last(inner)));
    const sum = add(rows, dropout(last(fed), stack.dropout.residual));
    const output = reshape(sum, [batch, sequence, hiddenSize]);
    return before ? output : normalize(module, output, norm);
  });
}
