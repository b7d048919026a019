/**
 * OPT: learned positions counted from the padding mask, LayerNorm before (350M: after) each branch, ReLU.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/opt/modeling_opt.py#L273
 */
import { act } from '../../memory/operations/activations';
import { add, dropout, scale } from '../../memory/operations/elementwise';
import { embedding } from '../../memory/operations/embedding';
import { reshape, splitHeads, viewWithGradientCopy } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { normalize } from '../../memory/operations/norms';
import type { Module } from '../../memory/tape/module';
import { hold, last, release } from '../../memory/tape/tape';
import { INT64, type Tensor } from '../../memory/tape/tensor';
import type { Layer, Mlp, SoftmaxAttention, Stack } from '../../model/architecture';
import { attend, attentionForm, isWrittenOut } from '../common/simulation/attention';
import { runBlocks } from '../common/simulation/blocks';
import { headLoss } from '../common/simulation/causalDecoder';
import { decoderStack, plainLayer } from '../common/simulation/expected';
import { heldMask } from '../common/simulation/positions';
import { type FamilyForward, type Forward, requireInputGradient } from '../forward';

/**
 * `OPTForCausalLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/opt/modeling_opt.py#L443
 */
export const simulateOpt: FamilyForward = (forward) => {
  const { tape, root, architecture } = forward;
  return tape.frame([], () => {
    const stack = decoderStack(architecture);
    const hidden = hold(optDecoder(forward, root.at(stack.path), stack));
    return headLoss(forward, 'lm_head', hidden);
  });
};

function optDecoder(forward: Forward, decoder: Module, stack: Stack): Tensor {
  const { tape, batch, sequence } = forward;
  return tape.call(decoder.place, [], () => {
    let tokens = hold(embedding(decoder.child('embed_tokens'), [batch, sequence], null));
    requireInputGradient(forward, tokens);
    if (decoder.has('project_in')) tokens = hold(linear(decoder.child('project_in'), last(tokens)));
    const indices = hold(countedPositions(forward));
    const mask = heldMask(forward, forward.attention === 'eager');
    const positions = hold(positionEmbedding(decoder.child('embed_positions'), batch, sequence));
    const embedded = hold(add(tokens, positions));
    const { layers } = stack;
    const blocks = decoder.child('layers');
    const run = { blocks, layers, hidden: embedded, named: 'none', shared: [mask, indices] } as const;
    let hidden = runBlocks(forward, run, (block, layer, x, [causal = null]) =>
      optBlock(forward, block, layer, stack, x, causal),
    );
    if (stack.finalNorm !== null)
      hidden = hold(normalize(decoder.child('final_layer_norm'), last(hidden), stack.finalNorm));
    return decoder.has('project_out') ? linear(decoder.child('project_out'), last(hidden)) : hidden;
  });
}

/** Positions as the running sum of the padding mask, masked and shifted by one: int64 [batch, sequence]. */
function countedPositions({ tape, batch, sequence }: Forward): Tensor {
  return tape.frame([], () => {
    hold(tape.create([batch, sequence], INT64));
    hold(tape.create([batch, sequence], INT64));
    return tape.create([batch, sequence], INT64);
  });
}

/**
 * The table's rows begin with an offset, which is added to the positions first.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/opt/modeling_opt.py#L45
 */
function positionEmbedding(module: Module, batch: number, sequence: number): Tensor {
  const { tape } = module;
  return tape.call(module.place, [], () =>
    embedding(module, [batch, sequence], hold(tape.create([batch, sequence], INT64))),
  );
}

/** `OPTDecoderLayer.forward`: both branches, each with its norm before or after. */
function optBlock(
  forward: Forward,
  block: Module,
  layer: Layer,
  stack: Stack,
  x: Tensor,
  mask: Tensor | null,
): Tensor {
  const { mixer, feedForward } = plainLayer(layer);
  const { residual } = stack.dropout;
  const middle = hold(attentionBranch(forward, block, layer, mixer, residual, x, mask));
  return feedForwardBranch(block, layer, feedForward, residual, middle);
}

function attentionBranch(
  forward: Forward,
  block: Module,
  { norm, placement }: Layer,
  attention: SoftmaxAttention,
  residualDropout: number,
  x: Tensor,
  mask: Tensor | null,
): Tensor {
  const module = block.child('self_attn_layer_norm');
  const before = placement === 'pre';
  return forward.tape.frame([x], () => {
    const normed = before ? hold(normalize(module, x, norm)) : x;
    const attended = hold(optAttention(forward, block.child('self_attn'), attention, normed, mask));
    if (before) release(normed);
    const sum = add(x, dropout(last(attended), residualDropout));
    return before ? sum : normalize(module, sum, norm);
  });
}

/**
 * `OPTAttention.forward`, whose query is scaled before attention.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/opt/modeling_opt.py#L97
 */
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
    const flatKey = plain ? viewWithGradientCopy(projectedKey, projectedKey.shape) : projectedKey;
    const flatValue = linear(module.child('v_proj'), x);
    const key = hold(splitHeads(flatKey, shape, false));
    const value = hold(splitHeads(flatValue, shape, plain));
    return linear(module.child('out_proj'), attend(form, attention, { query, key, value, mask }));
  });
}

/** The MLP over rows of tokens [batch · sequence, hidden]. */
function feedForwardBranch(
  block: Module,
  { norm, placement }: Layer,
  { activation }: Mlp,
  residualDropout: number,
  x: Tensor,
): Tensor {
  const [batch = 1, sequence = 1, hiddenSize = 1] = x.shape;
  const module = block.child('final_layer_norm');
  const before = placement === 'pre';
  return block.tape.frame([], () => {
    const rows = hold(reshape(x, [batch * sequence, hiddenSize]));
    const normed = before ? hold(normalize(module, rows, norm)) : rows;
    let inner = hold(linear(block.child('fc1'), before ? last(normed) : normed));
    inner = hold(act(activation, last(inner)));
    const fed = hold(linear(block.child('fc2'), last(inner)));
    const sum = add(rows, dropout(last(fed), residualDropout));
    const output = reshape(sum, [batch, sequence, hiddenSize]);
    return before ? output : normalize(module, output, norm);
  });
}
