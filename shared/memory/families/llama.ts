/**
 * The llama block and its relatives: pre-norm, rotary positions, grouped-query attention, gated MLP.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/models/llama/modeling_llama.py
 */
import type { Layer, Mlp, SoftmaxAttention, Stack } from '../../model/architecture';
import { act } from '../operations/activations';
import { add, multiply, scale } from '../operations/elementwise';
import { embedding } from '../operations/embedding';
import { view, viewWithGradientCopy } from '../operations/layout';
import { linear } from '../operations/linear';
import { causalLoss } from '../operations/loss';
import { normalize } from '../operations/norms';
import type { Module } from '../tape/module';
import { hold, last, release } from '../tape/tape';
import { INT64, type Tensor } from '../tape/tensor';
import { type Forward, requireInputGradient, runBlock } from './context';
import { attend, attentionForm, isWrittenOut } from './parts/attention';
import { causalMask } from './parts/masks';
import { rotate, type RotaryTables, rotaryTables, tablesOf } from './parts/rotary';

/** `LlamaForCausalLM.forward` with labels: the loss. */
export function llamaLoss(forward: Forward): Tensor {
  const { tape, root } = forward;
  const [stack] = forward.architecture.stacks;
  if (stack === undefined) throw new Error('A causal model has a stack of layers.');
  return tape.frame([], () => {
    const hidden = hold(llamaModel(forward, root.child('model'), stack));
    const logits = hold(tape.as('logits', () => linear(root.child('lm_head'), hidden)));
    return tape.as('logits', () => causalLoss(tape, logits));
  });
}

function llamaModel(forward: Forward, model: Module, stack: Stack): Tensor {
  const { tape, batch, sequence } = forward;
  return tape.call(model.place, [], () => {
    const tokens = embedding(model.child('embed_tokens'), [batch, sequence], null);
    const scaled = stack.inputs.kind === 'tokens' && stack.inputs.scale !== null;
    const embedded = hold(scaled ? scale(tokens) : tokens);
    const range = tape.create([sequence], INT64);
    const positions = hold(tape.create([1, sequence], INT64));
    tape.release(range);
    const mask = causalMask(tape, batch, sequence, forward.modelBytes, forward.attention === 'eager');
    if (mask !== null) hold(mask);
    requireInputGradient(forward, embedded);
    const tables = rotaryTables(
      tape,
      sequence,
      stack.positions.kind === 'rope' ? stack.positions.rotaryDim : 0,
      forward.modelBytes,
      embedded.elementBytes,
    );
    hold(tables.cos);
    hold(tables.sin);
    let hidden = embedded;
    stack.layers.forEach((layer, index) => {
      const block = model.child('layers').child(String(index));
      const input = index === 0 ? hidden : last(hidden);
      hidden = hold(
        runBlock(forward, block, input, [tables.cos, tables.sin, mask, positions], (x, [cos, sin, causal]) =>
          llamaBlock(forward, block, layer, x, tablesOf(cos, sin), causal ?? null),
        ),
      );
    });
    return stack.finalNorm === null ? hidden : normalize(model.child('norm'), last(hidden), stack.finalNorm);
  });
}

function llamaBlock(
  forward: Forward,
  block: Module,
  layer: Layer,
  x: Tensor,
  tables: RotaryTables,
  mask: Tensor | null,
): Tensor {
  const { mixer, feedForward } = layer;
  if (mixer.kind !== 'attention' || feedForward.kind !== 'mlp') throw new Error('Not a llama block.');
  const attended = llamaAttention(
    forward,
    block.child('self_attn'),
    mixer,
    normalize(block.child('input_layernorm'), x, layer.norm),
    tables,
    mask,
  );
  const middle = hold(add(x, attended));
  return add(
    middle,
    gatedMlp(
      block.child('mlp'),
      feedForward,
      normalize(block.child('post_attention_layernorm'), middle, layer.norm),
    ),
  );
}

function llamaAttention(
  forward: Forward,
  module: Module,
  attention: SoftmaxAttention,
  x: Tensor,
  tables: RotaryTables,
  mask: Tensor | null,
): Tensor {
  const { tape, batch, sequence } = forward;
  const { heads, keyValueHeads, headDim } = attention;
  return tape.call(module.place, [x], () => {
    // A single key-value head is contiguous either way round, so its gradient needs no copy.
    const headed = (projected: Tensor, count: number, copies: boolean): Tensor => {
      const shape = [batch, count, sequence, headDim];
      return hold(copies && count > 1 ? viewWithGradientCopy(projected, shape) : view(projected, shape));
    };
    const query = headed(linear(module.child('q_proj'), x), heads, true);
    const key = headed(linear(module.child('k_proj'), x), keyValueHeads, true);
    // Fused kernels give the value's gradient in the layout of the projection; plain products do not.
    const form = attentionForm(forward, attention, key.elementBytes, mask !== null);
    const value = headed(linear(module.child('v_proj'), x), keyValueHeads, isWrittenOut(form));
    const rotatedQuery = hold(rotate(query, tables));
    const rotatedKey = hold(rotate(key, tables));
    release(query);
    release(key);
    const output = attend(form, attention, rotatedQuery, rotatedKey, value, mask);
    return linear(module.child('o_proj'), output);
  });
}

function gatedMlp(module: Module, mlp: Mlp, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    const gate = act(mlp.activation, linear(module.child('gate_proj'), x));
    return linear(module.child('down_proj'), multiply(gate, linear(module.child('up_proj'), x)));
  });
}
