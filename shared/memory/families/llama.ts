/**
 * The llama block and its relatives: norms before (and after) each branch, rotary positions, grouped-query attention with or
 * without normed queries and keys, gated MLP.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/models/llama/modeling_llama.py
 */
import type { Mlp, SoftmaxAttention } from '../../model/architecture';
import { act } from '../operations/activations';
import { add, multiply } from '../operations/elementwise';
import { splitHeads, view } from '../operations/layout';
import { linear } from '../operations/linear';
import { normalize } from '../operations/norms';
import type { Module } from '../tape/module';
import { hold, release } from '../tape/tape';
import { type Tensor, withWidth } from '../tape/tensor';
import type { FamilyForward, Forward } from './context';
import { attend, attentionForm, isWrittenOut } from './parts/attention';
import { type BlockContext, causalDecoderLoss } from './parts/causalDecoder';
import { rotate } from './parts/rotary';

/** llama, mistral, qwen2, qwen3, gemma: a norm before each branch. */
export const llamaLoss: FamilyForward = (forward) => causalDecoderLoss(forward, llamaBlock);

/** gemma 2: a norm before and after each branch. */
export const sandwichLoss: FamilyForward = (forward) => causalDecoderLoss(forward, sandwichBlock);

function llamaBlock(context: BlockContext, x: Tensor): Tensor {
  const { block, layer } = context;
  const attended = attentionBranch(context, normalize(block.child('input_layernorm'), x, layer.norm));
  const middle = hold(add(x, attended));
  return add(
    middle,
    mlpBranch(context, normalize(block.child('post_attention_layernorm'), middle, layer.norm)),
  );
}

function sandwichBlock(context: BlockContext, x: Tensor): Tensor {
  const { block, layer } = context;
  const normed = (name: string, input: Tensor): Tensor => normalize(block.child(name), input, layer.norm);
  const attended = attentionBranch(context, normed('input_layernorm', x));
  const middle = hold(add(x, normed('post_attention_layernorm', attended)));
  const fed = mlpBranch(context, normed('pre_feedforward_layernorm', middle));
  return add(middle, normed('post_feedforward_layernorm', fed));
}

function attentionBranch({ forward, block, layer, tables, mask }: BlockContext, x: Tensor): Tensor {
  if (layer.mixer.kind !== 'attention') throw new Error('The layer has no softmax attention.');
  return llamaAttention(forward, block.child('self_attn'), layer.mixer, x, tables, mask);
}

function mlpBranch({ block, layer }: BlockContext, x: Tensor): Tensor {
  if (layer.feedForward.kind !== 'mlp') throw new Error('The layer has no dense MLP.');
  return gatedMlp(block.child('mlp'), layer.feedForward, x);
}

/** `LlamaAttention.forward`: three projections, rotation of query and key, attention, output projection. */
export function llamaAttention(
  forward: Forward,
  module: Module,
  attention: SoftmaxAttention,
  x: Tensor,
  tables: BlockContext['tables'],
  mask: Tensor | null,
): Tensor {
  const { tape, batch, sequence } = forward;
  const { heads, keyValueHeads, headDim, queryKeyNorm } = attention;
  return tape.call(module.place, [x], () => {
    const normed = (name: string, projected: Tensor): Tensor =>
      queryKeyNorm === null ? projected : normalize(module.child(name), projected, queryKeyNorm.norm);
    const headed = (projected: Tensor, count: number, copied: boolean): Tensor =>
      splitHeads(projected, [batch, count, sequence, headDim], copied);
    const projectedHeads = (projection: string, norm: string, count: number): Tensor => {
      const projected = linear(module.child(projection), x);
      if (queryKeyNorm?.over === 'head') {
        // The norm runs on [batch, positions, heads, d], whose gradient is then in order for the projection.
        const perHead = normed(norm, view(projected, [batch, sequence, count, headDim]));
        return hold(headed(view(perHead, withWidth([batch, sequence, 1], count * headDim)), count, true));
      }
      return hold(headed(normed(norm, projected), count, true));
    };
    const query = projectedHeads('q_proj', 'q_norm', heads);
    const key = projectedHeads('k_proj', 'k_norm', keyValueHeads);
    // Fused kernels give the value's gradient in the layout of the projection; plain products do not.
    const form = attentionForm(forward, attention, key.elementBytes, mask !== null);
    const value = hold(headed(linear(module.child('v_proj'), x), keyValueHeads, isWrittenOut(form)));
    const rotatedQuery = hold(rotate(query, tables));
    const rotatedKey = hold(rotate(key, tables));
    release(query);
    release(key);
    const output = attend(form, attention, rotatedQuery, rotatedKey, value, mask);
    return linear(module.child('o_proj'), output);
  });
}

/** `down_proj(act(gate_proj(x)) * up_proj(x))`, or with gate and up in one product (`gate_up_proj`). */
export function gatedMlp(module: Module, mlp: Mlp, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    const gate = act(mlp.activation, linear(module.child('gate_proj'), x));
    return linear(module.child('down_proj'), multiply(gate, linear(module.child('up_proj'), x)));
  });
}
