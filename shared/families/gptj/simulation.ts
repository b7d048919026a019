/**
 * GPT-J and CodeGen: attention and MLP side by side after one norm, rotary tables looked up in every layer, attention written in
 * Python with its products in fp32.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gptj/modeling_gptj.py
 */
import { act } from '../../memory/operations/activations';
import { add, cast, dropout, scale } from '../../memory/operations/elementwise';
import { concatenate, copyForward, slice, split, splitHeads, view } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { normalize } from '../../memory/operations/norms';
import type { Module } from '../../memory/tape/module';
import { hold, holdAll, last } from '../../memory/tape/tape';
import { INT64, type Tensor, width, withWidth } from '../../memory/tape/tensor';
import type { SoftmaxAttention } from '../../model/architecture';
import { plainLayer, positionsOf } from '../common/simulation/expected';
import { type GptBlockContext, gptDecoderLoss, gptNames } from '../common/simulation/gptDecoder';
import { heldMask, positionIds } from '../common/simulation/positions';
import { type RotaryTables, rotate } from '../common/simulation/rotary';
import { attendInFp32 } from '../common/simulation/wideAttention';
import type { Forward } from '../forward';

/**
 * `GPTJForCausalLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gptj/modeling_gptj.py#L567
 */
export const simulateGptJ = gptDecoderLoss({
  names: gptNames,
  prepare: (forward, _model, stack, tokens) => {
    const ids = positionIds(forward);
    const mask = heldMask(forward, true);
    return { hidden: hold(dropout(tokens, stack.dropout.embedding)), shared: [mask, ids] };
  },
  block: gptJBlock,
});

function gptJBlock(context: GptBlockContext, x: Tensor): readonly Tensor[] {
  const { block, layer, stack } = context;
  const { feedForward, mixer } = plainLayer(layer);
  const { residual } = stack.dropout;
  const normed = hold(normalize(block.child('ln_1'), x, layer.norm));
  const [attended, weights] = holdAll(gptJAttention(context, mixer, normed));
  const mlp = block.child('mlp');
  const fed = mlp.tape.call(mlp.place, [normed], () => {
    const inner = hold(act(feedForward.activation, linear(mlp.child('fc_in'), normed)));
    return dropout(linear(mlp.child('fc_out'), last(inner)), residual);
  });
  return [add(add(attended, hold(fed)), x), weights];
}

function gptJAttention(
  { forward, block, shared, stack }: GptBlockContext,
  attention: SoftmaxAttention,
  x: Tensor,
): [Tensor, Tensor] {
  const { tape, batch, sequence } = forward;
  const { heads, headDim } = attention;
  const { positions } = stack;
  const rotaryDim = positions.kind === 'rope' ? positions.rotaryDim : headDim;
  const module = block.child('attn');
  const [mask = null] = shared;
  return tape.call(module.place, [x], () => {
    const [flatQuery, flatKey, flatValue] = projections(module, attention, x);
    const inOrder = [batch, sequence, heads, headDim];
    const query = hold(view(last(flatQuery), inOrder));
    const key = hold(view(last(flatKey), inOrder));
    const value = hold(splitHeads(last(flatValue), [batch, heads, sequence, headDim], true));
    const tables = lookUpTables(forward, positionsOf(stack), rotaryDim, key.elementBytes);
    const cut = (part: Tensor): [Tensor, Tensor] => [
      hold(slice(part, rotaryDim)),
      hold(slice(part, headDim - rotaryDim)),
    ];
    const [turnedKey, restKey] = cut(key);
    const [turnedQuery, restQuery] = cut(query);
    const rotatedKey = hold(rotateSpread(last(turnedKey), tables));
    const rotatedQuery = hold(rotateSpread(last(turnedQuery), tables));
    const wholeKey = joinParts(rotatedKey, restKey, key);
    const wholeQuery = joinParts(rotatedQuery, restQuery, query);
    const inputs = { query: wholeQuery, key: wholeKey, value, mask };
    const [joined, weights] = attendInFp32(attention, inputs, (scores) => scale(last(scores)));
    return [dropout(linear(module.child('out_proj'), joined), stack.dropout.residual), weights];
  });

  function joinParts(turned: Tensor, rest: Tensor, old: Tensor): Tensor {
    const whole = hold(concatenate([turned, rest]));
    const headed = hold(view(last(whole), [batch, heads, sequence, headDim]));
    headed.positionsFirst = heads > 1;
    tape.release(old);
    return headed;
  }
}

/** Query, key and value [batch, positions, heads · d], held: three products, or one that is cut (CodeGen). */
function projections(
  module: Module,
  { heads, headDim, projection }: SoftmaxAttention,
  x: Tensor,
): [Tensor, Tensor, Tensor] {
  const size = heads * headDim;
  if (projection === 'fused') return holdAll(split(linear(module.child('qkv_proj'), x), [size, size, size]));
  const product = (name: string): Tensor => hold(linear(module.child(name), x));
  return [product('q_proj'), product('k_proj'), product('v_proj')];
}

/** The table of all positions is copied, the positions are spread over its width, and the rows are gathered. */
function lookUpTables(
  { tape, sequence, bufferBytes }: Forward,
  rows: number,
  rotaryDim: number,
  elementBytes: number,
): RotaryTables {
  hold(tape.create([1, rows, rotaryDim], bufferBytes));
  hold(tape.create([1, sequence, rotaryDim], INT64));
  const gathered = hold(cast(tape.create([1, sequence, rotaryDim], bufferBytes), elementBytes));
  const [sin, cos] = holdAll(split(gathered, [rotaryDim / 2, rotaryDim / 2]));
  return { cos, sin };
}

/** `apply_rotary_pos_emb`: spreads the tables over pairs of neighbours, then turns. */
function rotateSpread(x: Tensor, { cos, sin }: RotaryTables): Tensor {
  const { tape } = x;
  return tape.frame([x], () => {
    const spread = (table: Tensor): Tensor =>
      hold(copyForward(table, withWidth(table.shape, 2 * width(table.shape))));
    const wideSin = spread(sin);
    return rotate(x, { cos: spread(cos), sin: wideSin });
  });
}
